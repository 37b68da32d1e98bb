/** What each prefix of an id stands for; the part behind it is time-ordered. */
export const ID_PREFIXES = {
  user: 'usr',
  organization: 'org',
  invitation: 'inv',
  project: 'prj',
  apiKey: 'key',
  signingSecret: 'sgn',
  job: 'job',
  requestVersion: 'req',
  scheduleVersion: 'sch',
  pauseInterval: 'pau',
  secretValue: 'sec',
  run: 'run',
  attempt: 'att',
  containerHandle: 'con',
  worker: 'wrk',
  alertChannel: 'chn',
  alertRule: 'alr',
  incident: 'inc',
  auditEntry: 'aud',
  request: 'rqs',
} as const

export type IdKind = keyof typeof ID_PREFIXES

// Crockford's base32 in lower case: its order is the order of the values, and it has no letters to mix up.
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'

/**
 * A typed, time-ordered id: prefix, 48 bits of time and 80 random bits (the layout of a ULID).
 * @param atMs when the thing came to be, in milliseconds since the epoch
 * @param random at least 10 random bytes
 */
export function newId(kind: IdKind, atMs: number, random: Uint8Array): string {
  let time = ''
  let rest = Math.floor(atMs)
  for (let i = 0; i < 10; i++) {
    time = ALPHABET[rest % 32] + time
    rest = Math.floor(rest / 32)
  }
  let tail = ''
  let bits = 0
  let held = 0
  for (let i = 0; i < 10; i++) {
    held = (held << 8) | (random[i] ?? 0)
    bits += 8
    while (bits >= 5) {
      bits -= 5
      tail += ALPHABET[(held >> bits) & 31]
    }
    held &= (1 << bits) - 1
  }
  return `${ID_PREFIXES[kind]}_${time}${tail}`
}

/** Whether text has the form of an id of that kind; anything else can be answered 404 without a look-up. */
export function isId(kind: IdKind, text: string): boolean {
  return text.startsWith(`${ID_PREFIXES[kind]}_`) && /^[a-z]{3}_[0-9a-hjkmnp-tv-z]{26}$/.test(text)
}
