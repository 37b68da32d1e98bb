import { ERROR_CODES, type ErrorCode } from '@workly/core'

/** When an error comes, and what whoever gets it does about it. */
export interface ErrorAdvice {
  when: string
  remedy: string
}

/** Every code of the closed list, in words: `docs/errors.md` and `/docs/errors` are made from it. */
export const ERROR_GUIDE: Record<ErrorCode, ErrorAdvice> = {
  invalid_request: {
    when: 'Something that was sent is not valid: the JSON, a field, a query, or a header such as `Content-Encoding`.',
    remedy:
      '`errors` names each offending field with what is allowed there; a field of `""` is the body as a whole. Correct them and send it again. The same request will fail again.',
  },
  unauthorized: {
    when: 'No API key was sent, or one that is unknown, revoked or expired.',
    remedy:
      'Send `Authorization: Bearer <key>` with a live key of the project. Keys are made in the console, under API keys.',
  },
  forbidden: {
    when: 'The API key lacks the scope, or the member the role, that the call needs; `detail` names it.',
    remedy:
      'Use a key with that scope (`write` contains `run`, which contains `read`), or ask an admin for the role.',
  },
  not_found: {
    when: 'There is no such address, job or run in the project of the key. What belongs to others is answered the same.',
    remedy:
      'Check the name or id, and that the key is of the right project. A job made in another project is not to be seen.',
  },
  method_not_allowed: {
    when: 'The address exists, but not for this method.',
    remedy: 'Use one of the methods in the header `Allow`.',
  },
  conflict: {
    when: 'The request is valid, but what it asks does not fit the present state; `detail` says why.',
    remedy: 'Read the job or run again and decide anew.',
  },
  run_not_finished: {
    when: 'A run that is pending or running was to be retried.',
    remedy: 'Wait until it has ended, or cancel it first.',
  },
  run_finished: {
    when: 'A run that has ended was to be cancelled.',
    remedy: 'Nothing is left to cancel. Retry it to deliver it again.',
  },
  job_completed: {
    when: 'A job with no scheduled time left was to be paused.',
    remedy: 'Give it a schedule with times ahead; it is active again then. Run now works in any state.',
  },
  limit_reached: {
    when: 'A limit on how many there may be is reached, such as the jobs of an organization; `detail` names it.',
    remedy: 'Delete what is no longer needed, or ask the operator of the server to raise the limit.',
  },
  idempotency_in_progress: {
    when: 'Another request with the same `Idempotency-Key` is still being worked on.',
    remedy: 'Wait a moment and send the same request again: it gets the answer of the first.',
  },
  outcome_unknown: {
    when: 'The server stopped while it worked on the first request with this `Idempotency-Key`, and what became of it is not known.',
    remedy: 'Look whether it had its effect, then send it with a new key if it had not.',
  },
  precondition_failed: {
    when: '`If-Match` named another version than the present one, or a job that does not exist; or `If-None-Match: *` a job that does.',
    remedy: 'Read the job again, apply the change to what it is now, and send the new ETag.',
  },
  payload_too_large: {
    when: 'The body of the request is larger than the limit, 2 MiB unless the operator has set another.',
    remedy: 'Send less. Put large data where the target can fetch it, and send a reference.',
  },
  idempotency_mismatch: {
    when: 'The `Idempotency-Key` was used within 24 hours for a request with another body.',
    remedy: 'Use a new key for each new request, and the old one only to repeat it.',
  },
  rate_limited: {
    when: 'The key makes more requests than it may: 100 a second and 200 at once, unless the operator has set others.',
    remedy: 'Wait for the seconds in `Retry-After`. `RateLimit` in every answer says how many are left.',
  },
  internal: {
    when: 'Something failed that should not have.',
    remedy:
      'Send it again after a moment: PUT, PATCH and DELETE can be repeated safely. If it goes on, tell the operator the `request_id`, which the log has too.',
  },
  unavailable: {
    when: 'The server cannot reach its database at present.',
    remedy: 'Send it again after the seconds in `Retry-After`.',
  },
}

/** The text of `docs/errors.md`. */
export function errorsMarkdown(): string {
  const codes = Object.keys(ERROR_CODES) as ErrorCode[]
  const parts = codes.map(code => {
    const { status, title } = ERROR_CODES[code]
    const { when, remedy } = ERROR_GUIDE[code]
    return `## ${code}\n\n**${status}** · ${title}\n\n${when}\n\n${remedy}\n`
  })
  return `${INTRODUCTION}\n${parts.join('\n')}`
}

const INTRODUCTION = `# Errors

<!-- Made from apps/api/src/error-guide.ts by \`npm run generate\`. -->

Every error of the API is an RFC 9457 problem document (\`application/problem+json\`):

\`\`\`json
{
  "type": "https://workly.example.com/docs/errors#invalid_request",
  "title": "The request is not valid",
  "status": 400,
  "code": "invalid_request",
  "detail": "max_attempts: a whole number from 1 to 50",
  "errors": [{ "field": "max_attempts", "message": "a whole number from 1 to 50" }],
  "request_id": "rqs_01kbbc7m2n4p6q8r0s2t4v6w8x"
}
\`\`\`

Decide by \`code\`: the list below is closed, and a new code is a change of the API's version. \`title\` and \`detail\` are for
people and may be reworded. \`request_id\` is in the header \`X-Request-Id\` of every answer too; a sane one that you send in
that header is kept.
`
