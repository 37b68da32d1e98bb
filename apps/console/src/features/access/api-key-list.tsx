'use client'

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { problemWords } from '#features/job/use-job-actions.ts'
import { useProjectInput, useRefusal } from '#features/project/project-scope.tsx'
import { useTRPC } from '#trpc/client.tsx'
import { LIVE_MS } from '#trpc/query-client.ts'
import type { ShownApiKey } from '#trpc/router.ts'
import { useAnnounce } from '#ui/announcer.tsx'
import { Badge } from '#ui/badge.tsx'
import { Card } from '#ui/card.tsx'
import { useNow } from '#ui/clock.tsx'
import { Confirm } from '#ui/confirm.tsx'
import { Empty } from '#ui/empty.tsx'
import { RelativeMoment } from '#ui/moment.tsx'
import { QueryProblem } from '#ui/query-problem.tsx'
import { Cell, Head, Table } from '#ui/table.tsx'
import { NewApiKey } from './new-api-key.tsx'
import { SCOPE_WORDS } from './scope-words.ts'

/** The project's API keys: who may call its API, and when each did last. */
export function ApiKeyList() {
  const trpc = useTRPC()
  const list = useQuery(trpc.apiKey.list.queryOptions(useProjectInput(), { refetchInterval: LIVE_MS }))
  const keys = list.data ?? []
  return (
    <Card title="API keys" flush aside={<NewApiKey />}>
      {list.error && !list.data && <QueryProblem error={list.error} onRetry={() => list.refetch()} />}
      {list.isSuccess && keys.length === 0 && (
        <Empty title="No API keys yet">
          <p>
            A key lets your code call this project’s API, as far as its scope reaches. It is shown once, when
            it is made; keep it in WORKLY_API_KEY, where every client of Workly looks for it.
          </p>
        </Empty>
      )}
      {keys.length > 0 && (
        <Table caption="API keys, newest first" head={<KeyHeads />}>
          {keys.map(key => (
            <KeyRow key={key.id} apiKey={key} />
          ))}
        </Table>
      )}
    </Card>
  )
}

function KeyHeads() {
  return (
    <>
      <Head className="w-full">Name</Head>
      <Head className="max-sm:hidden">Scope</Head>
      <Head className="max-md:hidden">Last used</Head>
      <Head className="max-md:hidden">Expires</Head>
      <Head className="text-right">
        <span className="sr-only">Actions</span>
      </Head>
    </>
  )
}

function KeyRow({ apiKey }: { apiKey: ShownApiKey }) {
  const now = useNow()
  const isOver = apiKey.expires_at !== null && Date.parse(apiKey.expires_at) <= now
  return (
    <tr className="h-14">
      <Cell className="max-w-0">
        <span className="flex items-center gap-2">
          <span className="truncate font-medium">{apiKey.name}</span>
          {apiKey.revoked_at ? <Badge>Revoked</Badge> : isOver && <Badge tone="warn">Expired</Badge>}
        </span>
        <span className="block truncate text-[13px] text-muted">
          <span className="font-mono">wk_…{apiKey.hint}</span>
          <span className="sm:hidden"> · {apiKey.scope}</span> · made{' '}
          <RelativeMoment at={apiKey.created_at} />
        </span>
      </Cell>
      <Cell className="max-sm:hidden">
        <span title={SCOPE_WORDS[apiKey.scope]}>{apiKey.scope}</span>
      </Cell>
      <Cell className="whitespace-nowrap max-md:hidden">
        {apiKey.last_used_at ? (
          <RelativeMoment at={apiKey.last_used_at} />
        ) : (
          <span className="text-muted">never</span>
        )}
      </Cell>
      <Cell className="whitespace-nowrap max-md:hidden">
        {apiKey.expires_at ? (
          <RelativeMoment at={apiKey.expires_at} />
        ) : (
          <span className="text-muted">never</span>
        )}
      </Cell>
      <Cell className="text-right">{!apiKey.revoked_at && <Revoke apiKey={apiKey} />}</Cell>
    </tr>
  )
}

function Revoke({ apiKey }: { apiKey: ShownApiKey }) {
  const trpc = useTRPC()
  const queryClient = useQueryClient()
  const announce = useAnnounce()
  const place = useProjectInput()
  const revoke = useMutation(trpc.apiKey.revoke.mutationOptions())
  return (
    <Confirm
      label="Revoke"
      name={`Revoke ${apiKey.name}`}
      title={`Revoke ${apiKey.name}?`}
      reason={useRefusal('admin')}
      busy={revoke.isPending}
      problem={revoke.error && problemWords(revoke.error)}
      onConfirm={async () => {
        await revoke.mutateAsync({ ...place, id: apiKey.id })
        await queryClient.invalidateQueries({ queryKey: trpc.apiKey.pathKey() })
        announce('good', `${apiKey.name} is revoked.`)
      }}
    >
      Whatever calls with it is refused within a second, for good. To change a key without a gap, make the new
      one first.
    </Confirm>
  )
}
