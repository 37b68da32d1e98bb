import { formatSeconds } from '#time/duration.ts'
import type { ShownJob } from '#trpc/router.ts'
import { Card, Fact, Facts } from '#ui/card.tsx'
import { missedWords, overlapWords, responseWords, retryWords } from './settings-words.ts'

/** What a job calls and by which rules. */
export function JobSettings({ job }: { job: ShownJob }) {
  const headers = Object.keys(job.headers ?? {})
  const timeout = job.timeout_seconds ?? job.image?.timeout_seconds
  return (
    <Card title="Target">
      <div className="grid gap-4">
        {job.url !== undefined && <Address method={job.method ?? ''} url={job.url} />}
        {job.image !== undefined && <ImageName image={job.image} />}
        {job.steps !== undefined && <Steps steps={job.steps} />}
        <Facts>
          {headers.length > 0 && (
            <Fact name="Headers">
              <span className="font-mono text-[13px]">{headers.join(', ')}</span>
            </Fact>
          )}
          {typeof job.response === 'object' && <Fact name="Response">{responseWords(job.response)}</Fact>}
          {timeout !== undefined && <Fact name="Timeout">{formatSeconds(timeout)}</Fact>}
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

function Address({ method, url }: { method: string; url: string }) {
  return (
    <p className="font-mono text-[13px] break-all">
      <span className="mr-2 font-semibold">{method}</span>
      {url}
    </p>
  )
}

function ImageName({ image }: { image: NonNullable<ShownJob['image']> }) {
  return (
    <p className="font-mono text-[13px] break-all">
      {image.name}:{image.tag}
    </p>
  )
}

function Steps({ steps }: { steps: NonNullable<ShownJob['steps']> }) {
  return (
    <ol aria-label="Steps" className="grid gap-2">
      {steps.map((step, index) => (
        <li key={step.id} className="grid grid-cols-[1.5rem_minmax(0,1fr)]">
          <span className="tnum text-muted">{index + 1}</span>
          <span className="grid min-w-0">
            <span className="font-medium">{step.id}</span>
            {step.url !== undefined && <Address method={step.method ?? ''} url={step.url} />}
            {step.image !== undefined && <ImageName image={step.image} />}
          </span>
        </li>
      ))}
    </ol>
  )
}
