import type { Metadata } from 'next'
import { NewJobForm } from '#features/job/new-job-form.tsx'
import { jobsPath } from '#features/project/addresses.ts'
import { openProject } from '#features/project/open-project.ts'
import { Notice } from '#ui/notice.tsx'
import { PageHead } from '#ui/page-head.tsx'

export const metadata: Metadata = { title: 'New job' }

interface PageProps {
  params: Promise<{ organization: string; project: string }>
}

export default async function NewJobPage({ params }: PageProps) {
  const place = await params
  const { scope } = await openProject(place.organization, place.project)
  return (
    <>
      <PageHead title="New job" parent={{ name: 'Jobs', href: jobsPath(place) }} />
      {scope.can.write ? (
        <NewJobForm />
      ) : (
        <Notice tone="warn" title={`Your role here is ${scope.role}.`}>
          <p>Making jobs needs developer or above. Ask an admin of the organization.</p>
        </Notice>
      )}
    </>
  )
}
