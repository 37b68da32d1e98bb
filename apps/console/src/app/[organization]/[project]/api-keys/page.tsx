import { dehydrate, HydrationBoundary } from '@tanstack/react-query'
import type { Metadata } from 'next'
import { ApiKeyList } from '#features/access/api-key-list.tsx'
import { openProject } from '#features/project/open-project.ts'
import { pageCalls } from '#trpc/prefetch.ts'
import { Notice } from '#ui/notice.tsx'
import { PageHead } from '#ui/page-head.tsx'

export const metadata: Metadata = { title: 'API keys' }

interface PageProps {
  params: Promise<{ organization: string; project: string }>
}

export default async function Page({ params }: PageProps) {
  const place = await params
  const { scope } = await openProject(place.organization, place.project)
  const { queryClient, trpc } = await pageCalls()
  if (scope.can.admin) await queryClient.prefetchQuery(trpc.apiKey.list.queryOptions(place))
  return (
    <HydrationBoundary state={dehydrate(queryClient)}>
      <PageHead title="API keys" />
      {scope.can.admin ? (
        <ApiKeyList />
      ) : (
        <Notice tone="warn" title={`Your role here is ${scope.role}.`}>
          <p>Seeing and making API keys needs admin or above. Ask an admin of the organization.</p>
        </Notice>
      )}
    </HydrationBoundary>
  )
}
