import { dehydrate, HydrationBoundary } from '@tanstack/react-query'
import type { Metadata } from 'next'
import { JobView } from '#features/job/job-view.tsx'
import { CHARTED_RUNS } from '#features/job/run-stats.ts'
import { openProject } from '#features/project/open-project.ts'
import { orNotFound, pageCalls, titleOf } from '#trpc/prefetch.ts'

interface PageProps {
  params: Promise<{ organization: string; project: string; job: string }>
}

/** Read once, for the title and for the page. */
async function fetchJob({ params }: PageProps) {
  const { organization, project, job } = await params
  await openProject(organization, project)
  const name = decodeURIComponent(job)
  const { queryClient, trpc } = await pageCalls()
  return queryClient.fetchQuery(trpc.job.get.queryOptions({ organization, project, name }))
}

export async function generateMetadata(props: PageProps): Promise<Metadata> {
  return titleOf(
    fetchJob(props)
      .then(() => props.params)
      .then(({ job }) => decodeURIComponent(job)),
  )
}

export default async function JobPage(props: PageProps) {
  const { organization, project, job } = await props.params
  const place = { organization, project }
  const name = decodeURIComponent(job)
  const { queryClient, trpc } = await pageCalls()
  await Promise.all([
    orNotFound(fetchJob(props)),
    queryClient.prefetchInfiniteQuery(
      trpc.run.list.infiniteQueryOptions(
        { ...place, job: name, state: undefined },
        { getNextPageParam: page => page.next_cursor },
      ),
    ),
    queryClient.prefetchQuery(trpc.run.list.queryOptions({ ...place, job: name, limit: CHARTED_RUNS })),
  ])
  return (
    <HydrationBoundary state={dehydrate(queryClient)}>
      <JobView name={name} />
    </HydrationBoundary>
  )
}
