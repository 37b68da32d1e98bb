'use client'

import { useQuery } from '@tanstack/react-query'
import { useTRPC } from '#trpc/client.tsx'
import { LIVE_MS } from '#trpc/query-client.ts'
import { QueryProblem } from '#ui/query-problem.tsx'
import { DefaultsForm } from './defaults-form.tsx'
import { LimitList } from './limit-list.tsx'
import { useProjectInput } from './project-scope.tsx'

/** What jobs of the project get where nothing is given, and the limits that the operator has set. */
export function ProjectSettings() {
  const trpc = useTRPC()
  const { data, error, refetch } = useQuery(
    trpc.project.get.queryOptions(useProjectInput(), { refetchInterval: LIVE_MS }),
  )
  if (!data) return error && <QueryProblem error={error} onRetry={() => refetch()} />
  return (
    <div className="grid items-start gap-4 lg:grid-cols-2">
      <DefaultsForm defaults={data.default_settings} />
      <LimitList limits={data.limits} />
    </div>
  )
}
