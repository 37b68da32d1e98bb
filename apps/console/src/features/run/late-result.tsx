import { ShortMoment } from '#ui/moment.tsx'
import { lateAt, lateWords } from './late-words.ts'

/** What came after an attempt was over, and that it changed nothing. */
export function LateResult({ late }: { late: Record<string, unknown> }) {
  const at = lateAt(late)
  return (
    <div className="grid gap-1 text-[13px]">
      <h3 className="font-medium">Came too late</h3>
      <p className="[overflow-wrap:anywhere]">
        {at && (
          <>
            <ShortMoment at={at} className="font-medium" />:{' '}
          </>
        )}
        {lateWords(late)}{' '}
        <span className="text-muted">It changed nothing: the attempt was over already.</span>
      </p>
    </div>
  )
}
