import { dehydrate, HydrationBoundary } from '@tanstack/react-query'
import type { Metadata } from 'next'
import { openProject } from '#features/project/open-project.ts'
import { ProjectSettings } from '#features/project/project-settings.tsx'
import { pageCalls } from '#trpc/prefetch.ts'
import { PageHead } from '#ui/page-head.tsx'

export const metadata: Metadata = { title: 'Defaults and limits' }

interface PageProps {
  params: Promise<{ organization: string; project: string }>
}

export default async function Page({ params }: PageProps) {
  const place = await params
  await openProject(place.organization, place.project)
  const { queryClient, trpc } = await pageCalls()
  await queryClient.prefetchQuery(trpc.project.get.queryOptions(place))
  return (
    <HydrationBoundary state={dehydrate(queryClient)}>
      <PageHead title="Defaults and limits" />
      <ProjectSettings />
    </HydrationBoundary>
  )
}
