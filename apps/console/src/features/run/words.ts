import type { RunState, RunTrigger } from '@workly/core'

export const STATE_WORDS: Record<RunState, string> = {
  pending: 'Pending',
  running: 'Running',
  succeeded: 'Succeeded',
  failed: 'Failed',
  cancelled: 'Cancelled',
  skipped: 'Skipped',
}

export const TRIGGER_WORDS: Record<RunTrigger, string> = {
  schedule: 'Schedule',
  manual: 'Run now',
  execute_now: 'At creation',
  backfill: 'Backfill',
}

/** Why a time was not run, in words (spec section 5: missed and overlap). */
export function skipWords(reason: 'overlap' | 'missed' | null): string {
  if (reason === 'overlap') {
    return 'Not delivered: an earlier run of this job was still going when this one was due. Retry it to deliver this time after all.'
  }
  if (reason === 'missed') {
    return 'Not delivered: no worker took it within a minute of its time. Retry it to deliver this time after all.'
  }
  return 'Not delivered.'
}

/** What each class of failure means and what to do about it (spec section 5, "Classes"). */
const CLASS_WORDS: Record<string, string> = {
  blocked:
    'The target’s address is not on the public internet, so it is never called. Use a public HTTPS address.',
  dns: 'The target’s name could not be resolved. Check the host in the URL and its DNS records.',
  connect:
    'No connection to the target could be opened. Check that it listens and that no firewall is in between.',
  tls: 'The secure connection failed. Check the target’s certificate: its name, its dates and its chain.',
  timeout: 'The target did not finish in time. Answer sooner, or raise the job’s timeout.',
  reset: 'The target closed the connection before its answer was complete.',
  protocol: 'The target’s answer is not valid HTTP.',
  response_too_large: 'The answer’s headers are over 16 KiB.',
  callback_timeout: 'The target accepted the call, but its callback did not come in time.',
  callback_failed: 'The callback reported a failure.',
  cancelled: 'It was cancelled.',
  lost: 'The worker that made the call died before it could write the result down. The target may have been called.',
  image_pull: 'The container image could not be pulled. Check its name and tag.',
  container_exit: 'The container ended with an error.',
  container_config: 'The container could not be created. Check its secrets and config maps.',
  evicted: 'The container was evicted from its node.',
  executor: 'Container images cannot be run here now.',
}

/** What a failure's class means; for an answer's status, what that kind of status asks for. */
export function classWords(errorClass: string, status: number | null = null): string {
  if (errorClass !== 'http_status') return CLASS_WORDS[errorClass] ?? 'The attempt failed.'
  if (status === null) return 'Anything but a 2xx status counts as a failure.'
  if (status < 400) return 'Redirects are not followed: give the job the final address.'
  if (status === 408 || status === 429) return 'It was called too often, or was too slow to read the request.'
  if (status < 500) return 'The target refused the request. Check the URL, the headers and the body.'
  return 'The target failed on its side. Its answer may say why.'
}

/** Classes whose words only say again what the failure itself says: that the callback said so, how the container ended. */
const SAID_BY_MESSAGE: ReadonlySet<string> = new Set([
  'callback_failed',
  'callback_timeout',
  'cancelled',
  'container_exit',
  'evicted',
  'executor',
  'protocol',
  'reset',
  'response_too_large',
])

/** What there is to say beside a failure's own message; null where that says it all. */
export function adviceWords(errorClass: string, status: number | null): string | null {
  return SAID_BY_MESSAGE.has(errorClass) ? null : classWords(errorClass, status)
}

/** `3 succeeded, 1 failed`, in the order of the states given. */
export function countWords(states: readonly RunState[]): string {
  const counts = new Map<RunState, number>()
  for (const state of states) counts.set(state, (counts.get(state) ?? 0) + 1)
  return [...counts].map(([state, count]) => `${count} ${STATE_WORDS[state].toLowerCase()}`).join(', ')
}
