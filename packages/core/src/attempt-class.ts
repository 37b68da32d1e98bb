/** How an attempt failed (spec section 5, "Classes"). The list is closed: it is stored, shown and retried by. */
export const ATTEMPT_CLASSES = [
  'blocked',
  'dns',
  'connect',
  'tls',
  'timeout',
  'reset',
  'protocol',
  'http_status',
  'response_too_large',
  'callback_timeout',
  'callback_failed',
  'cancelled',
  'lost',
  'image_pull',
  'container_exit',
  'container_config',
  'evicted',
  'executor',
] as const

export type AttemptClass = (typeof ATTEMPT_CLASSES)[number]
