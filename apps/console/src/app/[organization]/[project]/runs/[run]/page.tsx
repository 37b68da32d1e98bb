import { dehydrate, HydrationBoundary } from '@tanstack/react-query'
import type { Metadata } from 'next'
import { openProject } from '#features/project/open-project.ts'
import { RunView } from '#features/run/run-view.tsx'
import { orNotFound, pageCalls } from '#trpc/prefetch.ts'

interface PageProps {
  params: Promise<{ organization: string; project: string; run: string }>
}

export const metadata: Metadata = { title: 'Run' }

export default async function RunPage({ params }: PageProps) {
  const { organization, project, run } = await params
  await openProject(organization, project)
  const { queryClient, trpc } = await pageCalls()
  await orNotFound(queryClient.fetchQuery(trpc.run.get.queryOptions({ organization, project, id: run })))
  return (
    <HydrationBoundary state={dehydrate(queryClient)}>
      <RunView id={run} />
    </HydrationBoundary>
  )
}
