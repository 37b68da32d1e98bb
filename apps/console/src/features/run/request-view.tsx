import type { RunRequest } from '@workly/core'
import { formatSeconds } from '#time/duration.ts'
import { Card, Fact, Facts } from '#ui/card.tsx'
import { Code } from '#ui/code.tsx'
import { HeadersView } from './headers-view.tsx'
import { prettyJson } from './pretty-json.ts'

/** Exactly what was or will be sent, as the job had it when the run was made. */
export function RequestView({ request }: { request: RunRequest }) {
  return (
    <Card title="Request">
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
          <Fact name="Timeout">{formatSeconds(request.timeout_seconds)}</Fact>
        </Facts>
      </div>
    </Card>
  )
}
