import { dehydrate, HydrationBoundary } from '@tanstack/react-query'
import type { Metadata } from 'next'
import { openProject } from '#features/project/open-project.ts'
import { RunView } from '#features/run/run-view.tsx'
import { orNotFound, pageCalls, titleOf } from '#trpc/prefetch.ts'

interface PageProps {
  params: Promise<{ organization: string; project: string; run: string }>
}

/** Read once, for the title and for the page. */
async function fetchRun({ params }: PageProps) {
  const { organization, project, run: id } = await params
  await openProject(organization, project)
  const { queryClient, trpc } = await pageCalls()
  const { run } = await queryClient.fetchQuery(trpc.run.get.queryOptions({ organization, project, id }))
  return { id, run, queryClient }
}

export async function generateMetadata(props: PageProps): Promise<Metadata> {
  return titleOf(fetchRun(props).then(({ run }) => `Run of ${run?.job}`))
}

export default async function RunPage(props: PageProps) {
  const { id, queryClient } = await orNotFound(fetchRun(props))
  return (
    <HydrationBoundary state={dehydrate(queryClient)}>
      <RunView id={id} />
    </HydrationBoundary>
  )
}
