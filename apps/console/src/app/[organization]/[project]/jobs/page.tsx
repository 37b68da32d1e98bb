import { dehydrate, HydrationBoundary } from '@tanstack/react-query'
import type { Metadata } from 'next'
import { headers } from 'next/headers'
import { composition } from '#compose.ts'
import { publicUrl } from '#env.ts'
import { readJobFilter } from '#features/job/job-filter.ts'
import { JobList } from '#features/job/job-list.tsx'
import { newJobPath } from '#features/project/addresses.ts'
import { openProject } from '#features/project/open-project.ts'
import { pageCalls } from '#trpc/prefetch.ts'
import { LinkButton } from '#ui/button.tsx'
import { PageHead } from '#ui/page-head.tsx'

export const metadata: Metadata = { title: 'Jobs' }

interface PageProps {
  params: Promise<{ organization: string; project: string }>
  searchParams: Promise<Record<string, string | string[] | undefined>>
}

export default async function JobsPage({ params, searchParams }: PageProps) {
  const place = await params
  const { scope } = await openProject(place.organization, place.project)
  const { queryClient, trpc } = await pageCalls()
  const query = new URLSearchParams(
    Object.entries(await searchParams).flatMap(([key, value]) =>
      typeof value === 'string' ? [[key, value]] : [],
    ),
  )
  await queryClient.prefetchInfiniteQuery(
    trpc.job.list.infiniteQueryOptions(
      { ...place, ...readJobFilter(query) },
      { getNextPageParam: page => page.next_cursor },
    ),
  )
  const url = publicUrl() ?? `http://${(await headers()).get('host')}`
  return (
    <HydrationBoundary state={dehydrate(queryClient)}>
      <PageHead title="Jobs">
        {scope.can.write && (
          <LinkButton href={newJobPath(place)} variant="primary" icon="plus">
            New job
          </LinkButton>
        )}
      </PageHead>
      <JobList exampleUrl={url} exampleKey={composition().keylessProject !== place.project} />
    </HydrationBoundary>
  )
}
