import { Skeleton } from '#ui/skeleton.tsx'

export default function Loading() {
  return (
    <>
      <div className="mb-5 grid gap-1" aria-hidden="true">
        <Skeleton className="h-6 w-24" />
        <div className="flex h-10 items-center justify-between">
          <Skeleton className="h-6 w-64" />
          <Skeleton className="h-8 w-20" />
        </div>
      </div>
      <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_minmax(0,24rem)]">
        <Skeleton className="h-96 rounded-card" />
        <Skeleton className="h-96 rounded-card" />
      </div>
    </>
  )
}
