import { RunTableSkeleton } from '#features/run/run-table-skeleton.tsx'
import { Skeleton } from '#ui/skeleton.tsx'

export default function Loading() {
  return (
    <>
      <div className="mb-5 grid gap-1" aria-hidden="true">
        <Skeleton className="h-6 w-14" />
        <div className="flex h-10 items-center justify-between">
          <Skeleton className="h-6 w-56" />
          <Skeleton className="h-8 w-72 max-sm:hidden" />
        </div>
      </div>
      <div className="grid gap-4 lg:grid-cols-2">
        <Skeleton className="h-[19rem] rounded-card" />
        <Skeleton className="h-[19rem] rounded-card max-lg:order-last" />
        <Skeleton className="h-16 rounded-card lg:col-span-2" />
        <div className="lg:col-span-2">
          <RunTableSkeleton title="Runs" withJob={false} />
        </div>
      </div>
    </>
  )
}
