import type { Job } from '@workly/core'
import { formatSeconds } from '#time/duration.ts'
import { Card, Fact, Facts } from '#ui/card.tsx'
import { missedWords, overlapWords, retryWords } from './settings-words.ts'

/** What a job calls and by which rules. */
export function JobSettings({ job }: { job: Job }) {
  const headers = Object.keys(job.headers)
  return (
    <Card title="Target">
      <div className="grid gap-4">
        <p className="font-mono text-[13px] break-all">
          <span className="mr-2 font-semibold">{job.method}</span>
          {job.url}
        </p>
        <Facts>
          {headers.length > 0 && (
            <Fact name="Headers">
              <span className="font-mono text-[13px]">{headers.join(', ')}</span>
            </Fact>
          )}
          <Fact name="Timeout">{formatSeconds(job.timeout_seconds)}</Fact>
          <Fact name="Retries">{retryWords(job)}</Fact>
          <Fact name="Overlap">{overlapWords(job.overlap)}</Fact>
          <Fact name="Missed">{missedWords(job.missed)}</Fact>
          <Fact name="Job id">
            <code className="font-mono text-xs break-all">{job.id}</code>
          </Fact>
        </Facts>
      </div>
    </Card>
  )
}
