'use client'

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { problemWords } from '#features/job/use-job-actions.ts'
import { ROLE_WORDS, ROLES_IN_ORDER, rolesWithin } from '#features/member/roles.ts'
import { useProjectInput, useProjectScope, useRefusal } from '#features/project/project-scope.tsx'
import { useTRPC } from '#trpc/client.tsx'
import { LIVE_MS } from '#trpc/query-client.ts'
import type { ShownMembers } from '#trpc/router.ts'
import { useAnnounce } from '#ui/announcer.tsx'
import { Card } from '#ui/card.tsx'
import { Confirm } from '#ui/confirm.tsx'
import { Select } from '#ui/field.tsx'
import { RelativeMoment } from '#ui/moment.tsx'
import { QueryProblem } from '#ui/query-problem.tsx'
import { Cell, Head, Table } from '#ui/table.tsx'
import { InvitationList } from './invitation-list.tsx'
import { InviteMember } from './invite-member.tsx'

type Member = ShownMembers['members'][number]

/** Who belongs to the organization and as what; for admins also who is invited. */
export function MemberList() {
  const trpc = useTRPC()
  const { can } = useProjectScope()
  const list = useQuery(trpc.member.list.queryOptions(useProjectInput(), { refetchInterval: LIVE_MS }))
  return (
    <div className="grid gap-4">
      <Card title="Members of the organization" flush aside={<InviteMember />}>
        {list.error && !list.data && <QueryProblem error={list.error} onRetry={() => list.refetch()} />}
        {list.data && (
          <Table caption="Members, those who joined first in front" head={<MemberHeads />}>
            {list.data.members.map(member => (
              <MemberRow
                key={member.user_id}
                member={member}
                isLastOwner={isLastOwner(list.data.members, member)}
              />
            ))}
          </Table>
        )}
      </Card>
      {can.admin && list.data && <InvitationList invitations={list.data.invitations} />}
      <Card title="Roles">
        <dl className="grid grid-cols-[max-content_minmax(0,1fr)] gap-x-5 gap-y-1.5">
          {ROLES_IN_ORDER.map(role => (
            <div key={role} className="contents">
              <dt className="font-medium">{role}</dt>
              <dd className="text-muted">{ROLE_WORDS[role]}</dd>
            </div>
          ))}
        </dl>
      </Card>
    </div>
  )
}

function MemberHeads() {
  return (
    <>
      <Head className="w-full">Member</Head>
      <Head>Role</Head>
      <Head className="max-sm:hidden">Joined</Head>
      <Head className="text-right">
        <span className="sr-only">Actions</span>
      </Head>
    </>
  )
}

function MemberRow({ member, isLastOwner: stays }: { member: Member; isLastOwner: boolean }) {
  const trpc = useTRPC()
  const queryClient = useQueryClient()
  const announce = useAnnounce()
  const place = useProjectInput()
  const { role: ownRole, can } = useProjectScope()
  const name = member.name ?? member.email
  const roles = rolesWithin(ownRole)
  const refusal = useRemoveRefusal(roles.includes(member.role))
  const onSettled = () => queryClient.invalidateQueries({ queryKey: trpc.member.pathKey() })
  const change = useMutation(
    trpc.member.changeRole.mutationOptions({
      onSuccess: () => announce('good', `${name} has another role now.`),
      onError: error => announce('bad', problemWords(error)),
      onSettled,
    }),
  )
  const remove = useMutation(trpc.member.remove.mutationOptions({ onSettled }))
  const input = { ...place, id: member.user_id }
  return (
    <tr className="h-14">
      {/* Read whole on a phone, where there is no room beside and nothing to hover with. */}
      <Cell className="max-w-0 max-sm:[overflow-wrap:anywhere]">
        <span className="block font-medium sm:truncate">{name}</span>
        {member.name && <span className="block text-[13px] text-muted sm:truncate">{member.email}</span>}
        {can.admin && stays && <span className="block text-[13px] text-muted">{LAST_OWNER}</span>}
      </Cell>
      <Cell>
        {can.admin && roles.includes(member.role) && !stays ? (
          <Select
            aria-label={`Role of ${name}`}
            value={member.role}
            onChange={event => {
              const role = roles.find(known => known === event.target.value)
              if (role) change.mutate({ ...input, role })
            }}
            className="min-w-30"
          >
            {roles.map(role => (
              <option key={role}>{role}</option>
            ))}
          </Select>
        ) : (
          member.role
        )}
      </Cell>
      <Cell className="whitespace-nowrap text-muted max-sm:hidden">
        <RelativeMoment at={member.created_at} />
      </Cell>
      <Cell className="text-right">
        {can.admin && !stays && (
          <Confirm
            label="Remove"
            name={`Remove ${name}`}
            title={`Remove ${name}?`}
            reason={refusal}
            busy={remove.isPending}
            problem={remove.error && problemWords(remove.error)}
            onConfirm={async () => {
              await remove.mutateAsync(input)
              announce('good', `${name} is no longer a member.`)
            }}
          >
            They are out of the organization at once, wherever they are signed in. What they made stays.
          </Confirm>
        )}
      </Cell>
    </tr>
  )
}

/** An organization keeps an owner: the last one is not offered to be removed or to get another role (spec section 10). */
const LAST_OWNER = 'The last owner stays; make another member owner first.'

function isLastOwner(members: readonly Member[], { role }: Member): boolean {
  return role === 'owner' && members.filter(other => other.role === 'owner').length === 1
}

function useRemoveRefusal(isWithin: boolean): string | undefined {
  const refusal = useRefusal('admin')
  return refusal ?? (isWithin ? undefined : 'Their role is above yours.')
}
