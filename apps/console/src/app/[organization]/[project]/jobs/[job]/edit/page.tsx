import type { Metadata } from 'next'
import { EditJobForm } from '#features/job/edit-job-form.tsx'
import { jobPath } from '#features/project/addresses.ts'
import { openProject } from '#features/project/open-project.ts'
import { orNotFound, pageCalls } from '#trpc/prefetch.ts'
import { Notice } from '#ui/notice.tsx'
import { PageHead } from '#ui/page-head.tsx'

interface PageProps {
  params: Promise<{ organization: string; project: string; job: string }>
}

export async function generateMetadata({ params }: PageProps): Promise<Metadata> {
  return { title: `Edit ${decodeURIComponent((await params).job)}` }
}

export default async function EditJobPage({ params }: PageProps) {
  const { organization, project, job: segment } = await params
  const place = { organization, project }
  const name = decodeURIComponent(segment)
  const { scope } = await openProject(organization, project)
  const { queryClient, trpc } = await pageCalls()
  const settings = await orNotFound(
    queryClient.fetchQuery(trpc.job.settings.queryOptions({ ...place, name })),
  )
  return (
    <>
      <PageHead title={`Edit ${name}`} parent={{ name, href: jobPath(place, name) }} />
      {!scope.can.write && (
        <Notice tone="warn" title={`Your role here is ${scope.role}.`}>
          <p>Changing jobs needs developer or above. Ask an admin of the organization.</p>
        </Notice>
      )}
      {scope.can.write && <EditJobForm settings={settings} />}
    </>
  )
}
