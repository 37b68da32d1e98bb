import { dehydrate, HydrationBoundary } from '@tanstack/react-query'
import type { Metadata } from 'next'
import { SigningSecretList } from '#features/access/signing-secret-list.tsx'
import { openProject } from '#features/project/open-project.ts'
import { pageCalls } from '#trpc/prefetch.ts'
import { Notice } from '#ui/notice.tsx'
import { PageHead } from '#ui/page-head.tsx'

export const metadata: Metadata = { title: 'Signing secrets' }

interface PageProps {
  params: Promise<{ organization: string; project: string }>
}

export default async function Page({ params }: PageProps) {
  const place = await params
  const { scope } = await openProject(place.organization, place.project)
  const { queryClient, trpc } = await pageCalls()
  if (scope.can.admin) await queryClient.prefetchQuery(trpc.signingSecret.list.queryOptions(place))
  return (
    <HydrationBoundary state={dehydrate(queryClient)}>
      <PageHead title="Signing secrets" />
      {scope.can.admin ? (
        <SigningSecretList />
      ) : (
        <Notice tone="warn" title={`Your role here is ${scope.role}.`}>
          <p>Seeing and rotating signing secrets needs admin or above. Ask an admin of the organization.</p>
        </Notice>
      )}
    </HydrationBoundary>
  )
}
