'use client'

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { problemWords } from '#features/job/use-job-actions.ts'
import { useProjectInput, useRefusal } from '#features/project/project-scope.tsx'
import { useTRPC } from '#trpc/client.tsx'
import { LIVE_MS } from '#trpc/query-client.ts'
import type { ShownSigningSecret } from '#trpc/router.ts'
import { useAnnounce } from '#ui/announcer.tsx'
import { Badge } from '#ui/badge.tsx'
import { Card } from '#ui/card.tsx'
import { Confirm } from '#ui/confirm.tsx'
import { RelativeMoment } from '#ui/moment.tsx'
import { QueryProblem } from '#ui/query-problem.tsx'
import { Cell, Head, Table } from '#ui/table.tsx'
import { NewSigningSecret } from './new-signing-secret.tsx'

/** The secrets that the project's calls are signed with, newest first. */
export function SigningSecretList() {
  const trpc = useTRPC()
  const list = useQuery(trpc.signingSecret.list.queryOptions(useProjectInput(), { refetchInterval: LIVE_MS }))
  return (
    <Card title="Signing secrets" flush aside={<NewSigningSecret />}>
      {list.error && !list.data && <QueryProblem error={list.error} onRetry={() => list.refetch()} />}
      <p className="border-b border-line px-4 py-3 text-muted">
        Every call is signed with each live secret, after Standard Webhooks, so that your code can tell it
        from anybody else’s. Rotating makes a new secret; the ones before it go on signing for 24 hours, time
        enough to deploy it.
      </p>
      {list.data && (
        <Table caption="Signing secrets, newest first" head={<SecretHeads />}>
          {list.data.map(secret => (
            <SecretRow key={secret.id} secret={secret} />
          ))}
        </Table>
      )}
    </Card>
  )
}

function SecretHeads() {
  return (
    <>
      <Head className="w-full">Secret</Head>
      <Head>State</Head>
      <Head className="max-sm:hidden">Made</Head>
      <Head className="text-right">
        <span className="sr-only">Actions</span>
      </Head>
    </>
  )
}

function SecretRow({ secret }: { secret: ShownSigningSecret }) {
  return (
    <tr className="h-14">
      <Cell className="max-w-0">
        <span className="block truncate font-mono text-[13px]">{secret.id}</span>
        {secret.live && secret.expires_at && (
          <span className="block truncate text-[13px] text-muted">
            ends <RelativeMoment at={secret.expires_at} />
          </span>
        )}
      </Cell>
      <Cell>{secret.live ? <Badge tone="good">Signs</Badge> : <Badge>Ended</Badge>}</Cell>
      <Cell className="whitespace-nowrap text-muted max-sm:hidden">
        <RelativeMoment at={secret.created_at} />
      </Cell>
      <Cell className="text-right">{secret.live && <EndNow secret={secret} />}</Cell>
    </tr>
  )
}

function EndNow({ secret }: { secret: ShownSigningSecret }) {
  const trpc = useTRPC()
  const queryClient = useQueryClient()
  const announce = useAnnounce()
  const place = useProjectInput()
  const expire = useMutation(trpc.signingSecret.expire.mutationOptions())
  return (
    <Confirm
      label="End now"
      name={`End now: ${secret.id}`}
      title="End this secret now?"
      reason={useRefusal('admin')}
      busy={expire.isPending}
      problem={expire.error && problemWords(expire.error)}
      onConfirm={async () => {
        await expire.mutateAsync({ ...place, id: secret.id })
        await queryClient.invalidateQueries({ queryKey: trpc.signingSecret.pathKey() })
        announce('good', 'The secret has ended.')
      }}
    >
      Calls are no longer signed with it. Code that knows only this secret refuses them from now on.
    </Confirm>
  )
}
