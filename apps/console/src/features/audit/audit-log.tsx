'use client'

import { useInfiniteQuery } from '@tanstack/react-query'
import { useProjectInput } from '#features/project/project-scope.tsx'
import { useTRPC } from '#trpc/client.tsx'
import { LIVE_MS } from '#trpc/query-client.ts'
import type { ShownAuditEntry } from '#trpc/router.ts'
import { Card } from '#ui/card.tsx'
import { Code } from '#ui/code.tsx'
import { Empty } from '#ui/empty.tsx'
import { Icon } from '#ui/icon.tsx'
import { LoadMore } from '#ui/load-more.tsx'
import { ShortMoment } from '#ui/moment.tsx'
import { QueryProblem } from '#ui/query-problem.tsx'
import { actorName } from './actor-name.ts'

/** Every change in the organization, newest first: who, what, and what it was before and after. */
export function AuditLog() {
  const trpc = useTRPC()
  const list = useInfiniteQuery(
    trpc.audit.list.infiniteQueryOptions(useProjectInput(), {
      getNextPageParam: page => page.next_cursor,
      refetchInterval: LIVE_MS,
    }),
  )
  const entries = list.data?.pages.flatMap(page => page.data) ?? []
  return (
    <Card title="Changes" flush>
      {list.error && !list.data && <QueryProblem error={list.error} onRetry={() => list.refetch()} />}
      {list.isSuccess && entries.length === 0 && (
        <Empty title="No changes yet">
          <p>Every change to jobs, keys, secrets, members and settings will stand here.</p>
        </Empty>
      )}
      {entries.length > 0 && (
        <ol aria-label="Changes, newest first" className="divide-y divide-line">
          {entries.map(entry => (
            <li key={entry.id}>
              <Entry entry={entry} />
            </li>
          ))}
        </ol>
      )}
      <LoadMore
        things="changes"
        hasMore={list.hasNextPage}
        isLoading={list.isFetchingNextPage}
        onLoad={() => list.fetchNextPage()}
      />
    </Card>
  )
}

function Entry({ entry }: { entry: ShownAuditEntry }) {
  const { actor, action, subject, before, after } = entry
  return (
    <details className="group">
      <summary className="flex min-h-11 list-none flex-wrap items-center gap-x-3 gap-y-0.5 px-4 py-2 hover:bg-canvas [&::-webkit-details-marker]:hidden">
        <Icon name="chevron" className="size-4 -rotate-90 text-muted group-open:rotate-0" />
        <code className="font-mono text-[13px] font-medium">{action}</code>
        <span className="min-w-0 truncate">{subject.name}</span>
        <span className="flex min-w-0 gap-3 text-[13px] text-muted max-sm:basis-full max-sm:pl-7 sm:ml-auto">
          <span className="min-w-0 max-w-56 truncate">{actorName(actor)}</span>
          <ShortMoment at={entry.created_at} />
        </span>
      </summary>
      <div className="grid gap-3 px-4 pt-1 pb-4 sm:pl-11">
        <p className="text-[13px] text-muted [overflow-wrap:anywhere]">
          {subject.kind} <span className="font-mono">{subject.id}</span>
          {entry.request_id && (
            <>
              , by request <span className="font-mono">{entry.request_id}</span>
            </>
          )}
        </p>
        <div className="grid grid-cols-[minmax(0,1fr)] gap-3 md:grid-cols-2">
          <Side name="Before" value={before} id={entry.id} />
          <Side name="After" value={after} id={entry.id} />
        </div>
      </div>
    </details>
  )
}

function Side({ name, value, id }: { name: string; value: unknown; id: string }) {
  if (value === null || value === undefined) return null
  return (
    <div className="grid content-start gap-1.5">
      <h3 className="text-[13px] font-medium">{name}</h3>
      <Code label={`${name.toLowerCase()} ${id}`} text={JSON.stringify(value, null, 2)} wrap />
    </div>
  )
}
