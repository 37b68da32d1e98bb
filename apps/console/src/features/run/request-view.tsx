import { responseWords } from '#features/job/settings-words.ts'
import { formatSeconds } from '#time/duration.ts'
import type { ShownRun } from '#trpc/router.ts'
import { Card, Fact, Facts } from '#ui/card.tsx'
import { Code } from '#ui/code.tsx'
import { HeadersView } from './headers-view.tsx'
import { prettyJson } from './pretty-json.ts'

type ImageRequest = Extract<ShownRun['request'], { kind: 'image' }>
type HttpRequest = Extract<ShownRun['request'], { kind: 'http' }>

/** Exactly what was or will be sent, as the job had it when the run was made; of a pipeline, step by step. */
export function RequestView({ request }: { request: ShownRun['request'] }) {
  if (request.kind === 'http') {
    return (
      <Card title="Request">
        <HttpRequestView request={request} />
      </Card>
    )
  }
  if (request.kind === 'image') {
    return (
      <Card title="Container image">
        <ImageRequestView request={request} />
      </Card>
    )
  }
  return (
    <Card title="Requests" flush>
      <ol className="divide-y divide-line">
        {request.steps.map(step => (
          <li key={step.id}>
            <details className="group">
              <summary className="flex min-h-11 list-none flex-wrap items-center gap-x-3 px-4 py-2 hover:bg-canvas [&::-webkit-details-marker]:hidden">
                <span className="font-medium">{step.id}</span>
                <span className="min-w-0 font-mono text-xs text-muted [overflow-wrap:anywhere]">
                  {step.kind === 'image' ? `${step.name}:${step.tag}` : `${step.method} ${step.url}`}
                </span>
              </summary>
              <div className="px-4 pb-4">
                {step.kind === 'image' ? (
                  <ImageRequestView request={step} />
                ) : (
                  <HttpRequestView request={step} />
                )}
              </div>
            </details>
          </li>
        ))}
      </ol>
    </Card>
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
  const words = [...(request.command ?? []), ...(request.args ?? [])]
  return (
    <div className="grid gap-4">
      <p className="font-mono text-[13px] break-all">
        {request.name}:{request.tag}
      </p>
      {words.length > 0 && <Code label="command and arguments" text={words.join('\n')} wrap />}
      {Object.keys(request.env).length > 0 && (
        <div className="grid gap-1.5">
          <h3 className="text-[13px] font-medium">Environment</h3>
          <HeadersView label="Environment variables" headers={request.env} />
        </div>
      )}
      <Facts>
        {request.env_from.length > 0 && (
          <Fact name="Environment from">
            {request.env_from.map(source => source.secret ?? source.config_map).join(', ')}
          </Fact>
        )}
        <Fact name="Deadline">{formatSeconds(request.timeout_seconds)}</Fact>
        {request.max_wait_seconds !== null && (
          <Fact name="Callback">waited for up to {formatSeconds(request.max_wait_seconds)}</Fact>
        )}
      </Facts>
    </div>
  )
}
