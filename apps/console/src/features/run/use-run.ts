'use client'

import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useProjectInput } from '#features/project/project-scope.tsx'
import { useTRPC, useTRPCClient } from '#trpc/client.tsx'
import { LIVE_MS } from '#trpc/query-client.ts'

/** A run, kept up to date; as long as nothing changes only its tag travels. */
export function useRun(id: string) {
  const input = { ...useProjectInput(), id }
  const { queryKey } = useTRPC().run.get.queryOptions(input)
  const client = useTRPCClient()
  const queryClient = useQueryClient()
  const { data, error, refetch } = useQuery({
    queryKey,
    queryFn: async () => {
      const known = queryClient.getQueryData(queryKey)
      const answer = await client.run.get.query({ ...input, seen: known?.tag })
      return answer.run === null && known ? known : answer
    },
    refetchInterval: LIVE_MS,
  })
  return { run: data?.run ?? null, isGone: data?.isGone ?? true, error, refetch }
}
