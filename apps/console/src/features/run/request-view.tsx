import { responseWords } from '#features/job/settings-words.ts'
import { formatSeconds } from '#time/duration.ts'
import type { ShownRun } from '#trpc/router.ts'
import { Card, Fact, Facts } from '#ui/card.tsx'
import { Code } from '#ui/code.tsx'
import { HeadersView } from './headers-view.tsx'
import { prettyJson } from './pretty-json.ts'

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
  return (
    <Card title="Requests" flush>
      <ol className="divide-y divide-line">
        {request.steps.map(step => (
          <li key={step.id}>
            <details className="group">
              <summary className="flex min-h-11 list-none flex-wrap items-center gap-x-3 px-4 py-2 hover:bg-canvas [&::-webkit-details-marker]:hidden">
                <span className="font-medium">{step.id}</span>
                <span className="min-w-0 font-mono text-xs text-muted [overflow-wrap:anywhere]">
                  {step.method} {step.url}
                </span>
              </summary>
              <div className="px-4 pb-4">
                <HttpRequestView request={step} />
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
