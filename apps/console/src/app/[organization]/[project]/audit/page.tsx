import { dehydrate, HydrationBoundary } from '@tanstack/react-query'
import type { Metadata } from 'next'
import { AuditLog } from '#features/audit/audit-log.tsx'
import { openProject } from '#features/project/open-project.ts'
import { pageCalls } from '#trpc/prefetch.ts'
import { PageHead } from '#ui/page-head.tsx'

export const metadata: Metadata = { title: 'Audit log' }

interface PageProps {
  params: Promise<{ organization: string; project: string }>
}

export default async function Page({ params }: PageProps) {
  const place = await params
  await openProject(place.organization, place.project)
  const { queryClient, trpc } = await pageCalls()
  await queryClient.prefetchInfiniteQuery(
    trpc.audit.list.infiniteQueryOptions(place, { getNextPageParam: page => page.next_cursor }),
  )
  return (
    <HydrationBoundary state={dehydrate(queryClient)}>
      <PageHead title="Audit log" />
      <AuditLog />
    </HydrationBoundary>
  )
}
