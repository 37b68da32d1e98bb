import { getInvitation, type InvitationPreview } from '@workly/services'
import type { Metadata } from 'next'
import { notFound } from 'next/navigation'
import { signedIn } from '#auth.ts'
import { composition } from '#compose.ts'
import { AcceptInvitation } from '#features/member/accept-invitation.tsx'
import { RegisterForm } from '#features/member/register-form.tsx'
import { ROLE_WORDS } from '#features/member/roles.ts'
import { isWorklyError } from '#trpc/public-error.ts'
import { LinkButton } from '#ui/button.tsx'
import { Notice } from '#ui/notice.tsx'

export const metadata: Metadata = { title: 'Invitation' }

interface PageProps {
  params: Promise<{ token: string }>
}

async function readInvitation(token: string): Promise<InvitationPreview> {
  try {
    return await getInvitation(composition().services, token)
  } catch (error) {
    if (isWorklyError(error) && error.code === 'not_found') notFound()
    throw error
  }
}

const OVER = {
  accepted: 'This invitation was used already.',
  revoked: 'This invitation was taken back. Ask for a new one.',
  expired: 'This invitation has expired. Ask for a new one.',
}

/** Where an invitation's link leads: what it is for, and the way in. */
export default async function InvitationPage({ params }: PageProps) {
  const { token } = await params
  const [invitation, person] = await Promise.all([readInvitation(token), signedIn()])
  const { organization, email, role, state } = invitation
  return (
    <main id="main" className="mx-auto grid min-h-dvh max-w-md content-center gap-4 px-4 py-10">
      <h1 className="text-xl font-semibold tracking-tight [overflow-wrap:anywhere]">
        Join {organization.name}
      </h1>
      <p className="[overflow-wrap:anywhere]">
        {email} is invited as {role}: <span className="text-muted">{ROLE_WORDS[role]}</span>
      </p>
      {state !== 'open' && <Notice tone="warn">{OVER[state]}</Notice>}
      {state === 'open' && !person && (
        <>
          <RegisterForm token={token} email={email} />
          <p className="border-t border-line pt-4 text-muted">
            If you have an account with that address, sign in; you come back here.
          </p>
          <LinkButton href={`/sign-in?callbackUrl=${encodeURIComponent(`/invitation/${token}`)}`}>
            Sign in
          </LinkButton>
        </>
      )}
      {state === 'open' && person && person.email !== email && (
        <Notice tone="warn" title={`You are signed in as ${person.email}.`}>
          <p>Sign out, and in again with {email}.</p>
        </Notice>
      )}
      {state === 'open' && person?.email === email && (
        <AcceptInvitation token={token} organization={organization.name} />
      )}
    </main>
  )
}
