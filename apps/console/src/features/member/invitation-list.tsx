'use client'

import { useMutation, useQueryClient } from '@tanstack/react-query'
import { problemWords } from '#features/job/use-job-actions.ts'
import { useProjectInput } from '#features/project/project-scope.tsx'
import { useTRPC } from '#trpc/client.tsx'
import type { ShownMembers } from '#trpc/router.ts'
import { useAnnounce } from '#ui/announcer.tsx'
import { Badge } from '#ui/badge.tsx'
import { Card } from '#ui/card.tsx'
import { Confirm } from '#ui/confirm.tsx'
import { RelativeMoment } from '#ui/moment.tsx'
import { Cell, Head, Table } from '#ui/table.tsx'

type Invitation = ShownMembers['invitations'][number]

/** Who was invited and has not joined yet. */
export function InvitationList({ invitations }: { invitations: Invitation[] }) {
  return (
    <Card title="Invitations" flush>
      {invitations.length === 0 ? (
        <p className="p-4 text-muted">Nobody is invited. An invitation is good for 7 days.</p>
      ) : (
        <Table caption="Invitations, newest first" head={<InvitationHeads />}>
          {invitations.map(invitation => (
            <InvitationRow key={invitation.id} invitation={invitation} />
          ))}
        </Table>
      )}
    </Card>
  )
}

function InvitationHeads() {
  return (
    <>
      <Head className="w-full">Address</Head>
      <Head>Role</Head>
      <Head className="text-right">
        <span className="sr-only">Actions</span>
      </Head>
    </>
  )
}

function InvitationRow({ invitation }: { invitation: Invitation }) {
  const trpc = useTRPC()
  const queryClient = useQueryClient()
  const announce = useAnnounce()
  const place = useProjectInput()
  const revoke = useMutation(trpc.member.revokeInvitation.mutationOptions())
  const isOver = invitation.state === 'expired'
  return (
    <tr className="h-14">
      <Cell className="max-w-0">
        <span className="block truncate font-medium">{invitation.email}</span>
        <span className="flex items-center gap-2 text-[13px] text-muted">
          {isOver && <Badge tone="warn">Expired</Badge>}
          <span className="truncate">
            {isOver ? 'ended' : 'good until'} <RelativeMoment at={invitation.expires_at} />
          </span>
        </span>
      </Cell>
      <Cell>{invitation.role}</Cell>
      <Cell className="text-right">
        <Confirm
          label="Take back"
          name={`Take back the invitation of ${invitation.email}`}
          title={`Take back the invitation of ${invitation.email}?`}
          busy={revoke.isPending}
          problem={revoke.error && problemWords(revoke.error)}
          onConfirm={async () => {
            await revoke.mutateAsync({ ...place, id: invitation.id })
            await queryClient.invalidateQueries({ queryKey: trpc.member.pathKey() })
            announce('good', 'The invitation is taken back.')
          }}
        >
          Its link no longer lets anybody in.
        </Confirm>
      </Cell>
    </tr>
  )
}
