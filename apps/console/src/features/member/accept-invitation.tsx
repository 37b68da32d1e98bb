'use client'

import { useMutation } from '@tanstack/react-query'
import { useRouter } from 'next/navigation'
import { problemWords } from '#features/job/use-job-actions.ts'
import { useTRPC } from '#trpc/client.tsx'
import { Button } from '#ui/button.tsx'
import { Notice } from '#ui/notice.tsx'

/** Joins the organization that invited the reader. */
export function AcceptInvitation({ token, organization }: { token: string; organization: string }) {
  const trpc = useTRPC()
  const router = useRouter()
  const accept = useMutation(
    trpc.invitation.accept.mutationOptions({ onSuccess: ({ slug }) => router.push(`/${slug}`) }),
  )
  return (
    <div className="grid gap-4">
      {accept.error && (
        <Notice tone="bad" alert>
          {problemWords(accept.error)}
        </Notice>
      )}
      <Button variant="primary" busy={accept.isPending} onClick={() => accept.mutate({ token })}>
        {`Join ${organization}`}
      </Button>
    </div>
  )
}
