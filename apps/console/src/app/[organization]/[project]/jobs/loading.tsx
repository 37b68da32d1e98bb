import { JobHeads } from '#features/job/job-heads.tsx'
import { PageHead } from '#ui/page-head.tsx'
import { Skeleton } from '#ui/skeleton.tsx'
import { Cell, Table } from '#ui/table.tsx'

const ROWS = ['a', 'b', 'c', 'd', 'e', 'f']

export default function Loading() {
  return (
    <>
      <PageHead title="Jobs" />
      <div className="grid gap-3">
        <div className="flex h-8 gap-2">
          <Skeleton className="h-8 w-72" />
          <Skeleton className="h-8 w-32" />
          <Skeleton className="h-8 w-32" />
        </div>
        <div className="rounded-card border border-line bg-surface">
          <Table caption="Jobs are being loaded" head={<JobHeads />}>
            {ROWS.map(row => (
              <tr key={row} className="h-16">
                <Cell className="w-full max-w-0">
                  <Skeleton className="mb-2 h-4 w-40" />
                  <Skeleton className="h-3.5 w-28" />
                </Cell>
                <Cell className="max-md:hidden">
                  <Skeleton className="h-4 w-20" />
                </Cell>
                <Cell className="max-sm:hidden">
                  <Skeleton className="h-4 w-36" />
                </Cell>
                <Cell className="max-lg:hidden">
                  <Skeleton className="h-5 w-[118px]" />
                </Cell>
                <Cell>
                  <Skeleton className="h-8 w-[68px]" />
                </Cell>
              </tr>
            ))}
          </Table>
        </div>
      </div>
    </>
  )
}
