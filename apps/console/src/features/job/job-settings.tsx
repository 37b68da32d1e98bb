import { HeadersView } from '#features/run/headers-view.tsx'
import { ImageWords, Sources } from '#features/target/image-facts.tsx'
import { formatSeconds } from '#time/duration.ts'
import type { ShownJob } from '#trpc/router.ts'
import { Card, Fact, Facts } from '#ui/card.tsx'
import {
  endWords,
  missedWords,
  overlapWords,
  ownRetryWords,
  responseWords,
  retryWords,
} from './settings-words.ts'

type Step = NonNullable<ShownJob['steps']>[number]
type Target = Pick<ShownJob, 'url' | 'method' | 'headers' | 'response' | 'timeout_seconds' | 'image'>

/** What a job does and by which rules. */
export function JobSettings({ job }: { job: ShownJob }) {
  return (
    <Card title={TITLES[job.kind]}>
      <div className="grid gap-4">
        {job.steps ? <Steps steps={job.steps} /> : <TargetView target={job} />}
        <Facts>
          {!job.steps && <TargetFacts target={job} />}
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

const TITLES: Record<ShownJob['kind'], string> = {
  http: 'HTTP request',
  image: 'Container image',
  pipeline: 'Pipeline',
}

/** A request's address, or an image with what it is given. */
function TargetView({ target }: { target: Target }) {
  const { image } = target
  return (
    <>
      <Line target={target} />
      {image && <ImageWords image={image} />}
      {image && Object.keys(image.env).length > 0 && (
        <div className="grid gap-1.5">
          <h3 className="text-[13px] font-medium">Environment</h3>
          <HeadersView label="Environment variables" headers={image.env} />
        </div>
      )}
    </>
  )
}

/** What it is, in a line. */
function Line({ target: { image, method, url } }: { target: Target }) {
  return (
    <p className="font-mono text-[13px] break-all">
      {image ? (
        `${image.name}:${image.tag}`
      ) : (
        <>
          <span className="mr-2 font-semibold">{method}</span>
          {url}
        </>
      )}
    </p>
  )
}

function TargetFacts({ target: { headers = {}, image, response, timeout_seconds } }: { target: Target }) {
  const names = Object.keys(headers)
  return (
    <>
      {names.length > 0 && (
        <Fact name="Headers">
          <span className="font-mono text-[13px]">{names.join(', ')}</span>
        </Fact>
      )}
      {image && image.env_from.length > 0 && (
        <Fact name="Variables from">
          <Sources sources={image.env_from} />
        </Fact>
      )}
      {typeof response === 'object' && <Fact name="Response">{responseWords(response)}</Fact>}
      {image && <Fact name="Done">{endWords(image)}</Fact>}
      {image && <Fact name="Deadline">{formatSeconds(image.timeout_seconds)}</Fact>}
      {timeout_seconds !== undefined && <Fact name="Timeout">{formatSeconds(timeout_seconds)}</Fact>}
    </>
  )
}

function Steps({ steps }: { steps: Step[] }) {
  return (
    <ol aria-label="Steps" className="divide-y divide-line rounded-control border border-line">
      {steps.map((step, index) => (
        <li key={step.id}>
          <details className="group">
            <summary className="grid list-none grid-cols-[1.25rem_minmax(0,1fr)] gap-x-2 px-3 py-2 hover:bg-canvas [&::-webkit-details-marker]:hidden">
              <span className="tnum text-muted">{index + 1}</span>
              <span className="grid min-w-0 gap-0.5">
                <span className="font-medium">{step.id}</span>
                <Line target={step} />
              </span>
            </summary>
            <div className="grid gap-3 px-3 pb-3 pl-10">
              {step.image && <ImageWords image={step.image} />}
              <Facts>
                <TargetFacts target={step} />
                <Fact name="Retries">{ownRetryWords(step) ?? 'As the job'}</Fact>
              </Facts>
            </div>
          </details>
        </li>
      ))}
    </ol>
  )
}
