import { Skeleton } from '#ui/skeleton.tsx'
import { Cell, Table } from '#ui/table.tsx'
import { RunHeads } from './run-heads.tsx'

const ROWS = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']

/** The list of runs before it is there, of its final size. */
export function RunTableSkeleton({ title, withJob }: { title: string; withJob: boolean }) {
  return (
    <div className="rounded-card border border-line bg-surface">
      {/* As high as the filters that will stand here. */}
      <div
        className={`flex min-h-11 items-center border-b border-line px-4 text-[13px] font-semibold pointer-coarse:min-h-13 ${withJob ? 'max-sm:min-h-20 max-sm:items-start max-sm:pt-1.5 max-sm:pointer-coarse:min-h-21' : ''}`}
      >
        {title}
      </div>
      <Table caption="Runs are being loaded" head={<RunHeads withJob={withJob} />}>
        {ROWS.map(row => (
          <tr key={row} className="h-11">
            <Cell>
              <Skeleton className="h-4 w-24" />
            </Cell>
            {withJob && (
              <Cell className="max-sm:hidden">
                <Skeleton className="h-4 w-32" />
              </Cell>
            )}
            <Cell>
              <Skeleton className="h-4 w-28 max-sm:w-20" />
            </Cell>
            <Cell className="max-md:hidden">
              <Skeleton className="h-4 w-16" />
            </Cell>
            <Cell className="max-md:hidden">
              <Skeleton className="h-4 w-8" />
            </Cell>
            <Cell>
              <Skeleton className="h-4 w-14" />
            </Cell>
            <Cell className="max-lg:hidden">{null}</Cell>
          </tr>
        ))}
      </Table>
    </div>
  )
}
