import { consoleContext, listProjects, type Session } from '@workly/services'
import { notFound, redirect } from 'next/navigation'
import { composition } from '#compose.ts'
import { jobsPath } from '#features/project/addresses.ts'
import { requirePerson } from '#features/project/open-project.ts'
import { Blank } from '#features/shell/blank.tsx'
import { newRequestId } from '#request-id.ts'
import { projectScope } from '#trpc/init.ts'
import { isWorklyError } from '#trpc/public-error.ts'

interface PageProps {
  params: Promise<{ organization: string }>
}

async function projectsOf(session: Session, organization: string) {
  try {
    const context = await consoleContext(composition().services, session, organization, null, newRequestId())
    return await listProjects(context)
  } catch (error) {
    if (isWorklyError(error) && error.code === 'not_found') notFound()
    throw error
  }
}

/** Leads to the first of an organization's projects. */
export default async function OrganizationPage({ params }: PageProps) {
  const person = await requirePerson()
  const { organization } = await params
  if (!projectScope.shape.organization.safeParse(organization).success) notFound()
  const [first] = await projectsOf(person.session, organization)
  if (first) redirect(jobsPath({ organization, project: first.slug }))
  return (
    <Blank title="No projects yet">
      <p>Jobs live in projects. An admin of this organization can make its first one.</p>
    </Blank>
  )
}
