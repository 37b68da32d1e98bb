import { listOrganizationsOfUser } from '@workly/services'
import { redirect } from 'next/navigation'
import { composition } from '#compose.ts'
import { requirePerson } from '#features/project/open-project.ts'
import { SignOutButton } from '#features/session/sign-out-button.tsx'
import { Blank } from '#features/shell/blank.tsx'

/** Leads to the first of a person's organizations. */
export default async function FrontPage() {
  const person = await requirePerson()
  const [first] = await listOrganizationsOfUser(composition().services, person.userId)
  if (first) redirect(`/${first.slug}`)
  return (
    <Blank title="You belong to no organization">
      <p>
        You are signed in as {person.email}. Ask an admin of your organization to invite this address, then
        open the link in the invitation.
      </p>
      <SignOutButton />
    </Blank>
  )
}
