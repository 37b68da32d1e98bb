import { dehydrate, HydrationBoundary } from '@tanstack/react-query'
import type { Metadata } from 'next'
import Link from 'next/link'
import { readKind } from '#features/job/job-filter.ts'
import { jobsPath } from '#features/project/addresses.ts'
import { openProject } from '#features/project/open-project.ts'
import { RunList } from '#features/run/run-list.tsx'
import { pageCalls } from '#trpc/prefetch.ts'
import { Empty } from '#ui/empty.tsx'
import { PageHead } from '#ui/page-head.tsx'

export const metadata: Metadata = { title: 'Runs' }

interface PageProps {
  params: Promise<{ organization: string; project: string }>
  searchParams: Promise<{ kind?: string | string[] }>
}

export default async function RunsPage({ params, searchParams }: PageProps) {
  const place = await params
  const { kind: asked } = await searchParams
  const kind = readKind(typeof asked === 'string' ? asked : null)
  await openProject(place.organization, place.project)
  const { queryClient, trpc } = await pageCalls()
  await queryClient.prefetchInfiniteQuery(
    trpc.run.list.infiniteQueryOptions(
      { ...place, job: undefined, state: undefined, kind },
      { getNextPageParam: page => page.next_cursor },
    ),
  )
  return (
    <HydrationBoundary state={dehydrate(queryClient)}>
      <PageHead title="Runs" />
      <RunList
        title="Schedulers history"
        startsWithKind={kind}
        empty={
          <Empty title="No runs yet">
            <p>
              A run is one time of a job’s schedule, or one Run now. Make a{' '}
              <Link href={jobsPath(place)} className="text-accent underline underline-offset-2">
                job
              </Link>
              , and its runs show here with every attempt.
            </p>
          </Empty>
        }
      />
    </HydrationBoundary>
  )
}
