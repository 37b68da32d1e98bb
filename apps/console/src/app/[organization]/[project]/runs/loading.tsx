import { RunTableSkeleton } from '#features/run/run-table-skeleton.tsx'
import { PageHead } from '#ui/page-head.tsx'

export default function Loading() {
  return (
    <>
      <PageHead title="Runs" />
      <RunTableSkeleton title="Schedulers history" withJob />
    </>
  )
}
