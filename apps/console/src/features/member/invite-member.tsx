'use client'

import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { Role } from '@workly/services'
import { type FormEvent, useState } from 'react'
import { errorAt } from '#features/job/draft-issues.ts'
import { problemWords } from '#features/job/use-job-actions.ts'
import { useProjectInput, useProjectScope, useRefusal } from '#features/project/project-scope.tsx'
import { useTRPC } from '#trpc/client.tsx'
import { publicErrorOf } from '#trpc/query-client.ts'
import { Button } from '#ui/button.tsx'
import { Dialog } from '#ui/dialog.tsx'
import { Field, Select } from '#ui/field.tsx'
import { Notice } from '#ui/notice.tsx'
import { ShownOnce } from '#ui/shown-once.tsx'
import { TextField } from '#ui/text-field.tsx'
import { ROLE_WORDS, rolesWithin } from './roles.ts'

/** Invites somebody by a link that is shown this once. */
export function InviteMember() {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button icon="plus" variant="primary" reason={useRefusal('admin')} onClick={() => setOpen(true)}>
        Invite
      </Button>
      <Dialog open={isOpen} title="Invite a member" onClose={() => setOpen(false)}>
        <InviteForm onClose={() => setOpen(false)} />
      </Dialog>
    </>
  )
}

function InviteForm({ onClose }: { onClose: () => void }) {
  const trpc = useTRPC()
  const queryClient = useQueryClient()
  const place = useProjectInput()
  const roles = rolesWithin(useProjectScope().role)
  const [email, setEmail] = useState('')
  const [role, setRole] = useState<Role>('developer')
  const invite = useMutation(
    trpc.member.invite.mutationOptions({
      onSuccess: () => queryClient.invalidateQueries({ queryKey: trpc.member.pathKey() }),
    }),
  )
  if (invite.data) {
    const link = `${window.location.origin}/invitation/${invite.data.token}`
    return (
      <ShownOnce what="link of the invitation" text={link} onDone={onClose}>
        Send it to {invite.data.invitation.email}. It is good for 7 days, for that address alone.
      </ShownOnce>
    )
  }

  function submit(event: FormEvent) {
    event.preventDefault()
    if (!invite.isPending) invite.mutate({ ...place, invite: { email: email.trim(), role } })
  }
  const issues = (publicErrorOf(invite.error)?.issues ?? []).map(issue => ({
    ...issue,
    field: issue.field.replace(/^invite\./, ''),
  }))
  return (
    <form className="grid gap-4" onSubmit={submit} noValidate>
      {invite.error && issues.length === 0 && (
        <Notice tone="bad" alert>
          {problemWords(invite.error)}
        </Notice>
      )}
      <TextField
        id="invite-email"
        label="E-mail address"
        hint="That they sign in with."
        type="email"
        error={errorAt(issues, 'email')}
        value={email}
        onChange={event => setEmail(event.target.value)}
      />
      <Field id="invite-role" label="Role" hint={ROLE_WORDS[role]} error={errorAt(issues, 'role')}>
        <Select
          id="invite-role"
          value={role}
          onChange={event => setRole(roles.find(known => known === event.target.value) ?? role)}
        >
          {roles.map(known => (
            <option key={known}>{known}</option>
          ))}
        </Select>
      </Field>
      <div className="flex justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" variant="primary" busy={invite.isPending}>
          Make invitation
        </Button>
      </div>
    </form>
  )
}
