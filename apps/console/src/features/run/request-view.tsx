import { endWords, responseWords } from '#features/job/settings-words.ts'
import { ImageWords, Sources } from '#features/target/image-facts.tsx'
import { formatSeconds } from '#time/duration.ts'
import type { ShownRun } from '#trpc/router.ts'
import { Card, Fact, Facts } from '#ui/card.tsx'
import { Code } from '#ui/code.tsx'
import { Icon } from '#ui/icon.tsx'
import { HeadersView } from './headers-view.tsx'
import { prettyJson } from './pretty-json.ts'

type ImageRequest = Extract<ShownRun['request'], { kind: 'image' }>
type HttpRequest = Extract<ShownRun['request'], { kind: 'http' }>

/** Exactly what was or will be sent, as the job had it when the run was made; of a pipeline, step by step. */
export function RequestView({ request }: { request: ShownRun['request'] }) {
  if (request.kind !== 'pipeline') {
    return (
      <Card title={request.kind === 'http' ? 'Request' : 'Container image'} flush>
        <Folded name={null} target={request} />
      </Card>
    )
  }
  return (
    <Card title="What the steps do" flush>
      <details className="group/steps">
        <summary className="flex min-h-11 list-none items-center gap-x-3 px-4 py-2 hover:bg-canvas [&::-webkit-details-marker]:hidden">
          <Icon name="chevron" className="size-4 -rotate-90 text-muted group-open/steps:rotate-0" />
          <span className="min-w-0 truncate text-muted">
            {request.steps.length} steps: {request.steps.map(step => step.id).join(', ')}
          </span>
        </summary>
        <ol className="divide-y divide-line border-t border-line">
          {request.steps.map(step => (
            <li key={step.id}>
              <Folded name={step.id} target={step} />
            </li>
          ))}
        </ol>
      </details>
    </Card>
  )
}

/** A line that says what it is, with everything else below it once it is opened. */
function Folded({ name, target }: { name: string | null; target: HttpRequest | ImageRequest }) {
  return (
    <details className="group">
      <summary className="flex min-h-11 list-none items-center gap-x-3 px-4 py-2 hover:bg-canvas [&::-webkit-details-marker]:hidden">
        <Icon name="chevron" className="size-4 -rotate-90 text-muted group-open:rotate-0" />
        {name !== null && <span className="font-medium">{name}</span>}
        <span className="min-w-0 truncate font-mono text-[13px] text-muted group-open:sr-only">
          {target.kind === 'image' ? `${target.name}:${target.tag}` : `${target.method} ${target.url}`}
        </span>
        <span className="hidden text-[13px] text-muted group-open:inline">
          exactly as it was or will be sent
        </span>
      </summary>
      <div className="px-4 pt-1 pb-4 sm:pl-11">
        {target.kind === 'image' ? (
          <ImageRequestView request={target} />
        ) : (
          <HttpRequestView request={target} />
        )}
      </div>
    </details>
  )
}

function HttpRequestView({ request }: { request: HttpRequest }) {
  return (
    <div className="grid gap-4">
      <p className="font-mono text-[13px] break-all">
        <span className="mr-2 font-semibold">{request.method}</span>
        {request.url}
      </p>
      <div className="grid gap-1.5">
        <h3 className="text-[13px] font-medium">Headers</h3>
        <HeadersView label="Request headers" headers={request.headers} />
        <p className="text-[13px] text-muted">
          Workly adds its own: the run’s id, its scheduled time, the attempt’s number and the signature.
        </p>
      </div>
      <div className="grid gap-1.5">
        <h3 className="text-[13px] font-medium">Body</h3>
        {request.body === null ? (
          <p className="text-[13px] text-muted">No body.</p>
        ) : (
          <Code label="request body" text={prettyJson(request.body) ?? request.body} wrap />
        )}
      </div>
      <Facts>
        {request.content_type && <Fact name="Content type">{request.content_type}</Fact>}
        {typeof request.response === 'object' && (
          <Fact name="Response">{responseWords(request.response)}</Fact>
        )}
        <Fact name="Timeout">{formatSeconds(request.timeout_seconds)}</Fact>
      </Facts>
    </div>
  )
}

function ImageRequestView({ request }: { request: ImageRequest }) {
  return (
    <div className="grid gap-4">
      <p className="font-mono text-[13px] break-all">
        {request.name}:{request.tag}
      </p>
      <ImageWords image={request} />
      {Object.keys(request.env).length > 0 && (
        <div className="grid gap-1.5">
          <h3 className="text-[13px] font-medium">Environment</h3>
          <HeadersView label="Environment variables" headers={request.env} />
        </div>
      )}
      <Facts>
        {request.env_from.length > 0 && (
          <Fact name="Environment from">
            <Sources sources={request.env_from} />
          </Fact>
        )}
        <Fact name="Deadline">{formatSeconds(request.timeout_seconds)}</Fact>
        <Fact name="Done">{endWords(request)}</Fact>
      </Facts>
    </div>
  )
}
