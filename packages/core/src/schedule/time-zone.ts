import { nearest } from '../contract/issues.ts'
import { shownText } from './shown-text.ts'
import { ZONE_ALIASES } from './zone-aliases.ts'
import { ZoneOffsets } from './zone-offsets.ts'

/** A time zone as a schedule holds it. */
export interface TimeZone {
  /** The name as IANA spells it; a link such as `Asia/Calcutta` stays what it is. */
  readonly name: string
  readonly offsets: ZoneOffsets
}

/** Why a name is refused, and which name was probably meant. */
export interface UnknownZone {
  readonly problem: string
  readonly suggestion: string | null
}

const LONGEST_NAME = 64
const PATH_NAME = /^[A-Za-z][A-Za-z0-9_+-]*(?:\/[A-Za-z0-9_+-]+)+$/
const OFFSET = /^(?:UTC|GMT|Z)?([+-])([0-9]{1,2})(?::?([0-9]{2}))?$/i
/** Abbreviations that people write for a zone, though several zones share each: only ever offered, never taken. */
const ABBREVIATIONS: ReadonlyMap<string, string> = new Map([
  ['Z', 'UTC'],
  ['PST', 'America/Los_Angeles'],
  ['PDT', 'America/Los_Angeles'],
  ['MDT', 'America/Denver'],
  ['CST', 'America/Chicago'],
  ['CDT', 'America/Chicago'],
  ['EDT', 'America/New_York'],
  ['BST', 'Europe/London'],
  ['CEST', 'Europe/Paris'],
  ['EEST', 'Europe/Helsinki'],
  ['MSK', 'Europe/Moscow'],
  ['IST', 'Asia/Kolkata'],
  ['JST', 'Asia/Tokyo'],
  ['KST', 'Asia/Seoul'],
  ['AEST', 'Australia/Sydney'],
  ['NZST', 'Pacific/Auckland'],
])

let names: ReadonlyMap<string, string> | undefined
const zones = new Map<string, TimeZone>()
const offsets = new Map<string, ZoneOffsets>()

/**
 * Finds a time zone by its IANA name: canonical names and links (`Asia/Calcutta`, `US/Eastern`, `EST5EDT`,
 * `Etc/GMT+5`), in any case, since IANA keeps names unique without regard to it. Refused: offsets (`+02:00`), and
 * abbreviations that are no IANA name though Intl takes them (`PST`, `IST`, `BST`).
 */
export function findZone(name: string): TimeZone | UnknownZone {
  if (name.length > LONGEST_NAME) return unknown(name)
  const spelled = spelling(name)
  const known = zones.get(spelled ?? '')
  if (known !== undefined) return known
  const canonical = spelled ?? (PATH_NAME.test(name) && !/^SystemV\//i.test(name) ? name : null)
  const resolved = canonical === null ? null : resolve(canonical)
  if (canonical === null || resolved === null) return unknown(name)
  const shared = offsets.get(resolved) ?? new ZoneOffsets(resolved)
  offsets.set(resolved, shared)
  const zone = { name: canonical, offsets: shared }
  // A name that only Intl knows (newer than our list) is not kept: its spellings could be without number.
  if (spelled !== null) zones.set(spelled, zone)
  return zone
}

function knownNames(): ReadonlyMap<string, string> {
  names ??= new Map([...Intl.supportedValuesOf('timeZone'), ...ZONE_ALIASES].map(n => [n.toLowerCase(), n]))
  return names
}

function spelling(name: string): string | null {
  return knownNames().get(name.toLowerCase()) ?? null
}

/** The name under which Intl keeps the zone's rules, or null where it has none. */
function resolve(name: string): string | null {
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: name }).resolvedOptions().timeZone
  } catch {
    return null
  }
}

function unknown(name: string): UnknownZone {
  const offset = OFFSET.exec(name)
  if (offset) return unknownOffset(name, offset)
  const suggestion = name.length > LONGEST_NAME ? null : likelyName(name)
  const hint = suggestion
    ? `Did you mean ${suggestion}?`
    : 'Use one such as Europe/Stockholm, America/New_York or UTC.'
  return { problem: `${shownText(name)} is not an IANA time zone name. ${hint}`, suggestion }
}

/** An offset is the same all year, so it is no zone; IANA's own fixed-offset names have the sign turned round. */
function unknownOffset(name: string, [, sign, hours, minutes]: RegExpExecArray): UnknownZone {
  const hour = Number(hours)
  const zero = hour === 0 && Number(minutes ?? 0) === 0
  const fixed = zero
    ? 'UTC'
    : spelling(Number(minutes ?? 0) === 0 ? `Etc/GMT${sign === '+' ? '-' : '+'}${hour}` : '')
  const hint = fixed
    ? `; ${fixed} is that offset all year round${zero ? '' : ' (IANA turns the sign round)'}`
    : ''
  return {
    problem: `${shownText(name)} is an offset, not an IANA time zone name. Use one such as Europe/Stockholm${hint}.`,
    suggestion: fixed,
  }
}

function likelyName(name: string): string | null {
  const abbreviated = ABBREVIATIONS.get(name.toUpperCase())
  if (abbreviated !== undefined) return abbreviated
  const plain = name.trim().replaceAll(' ', '_').replaceAll('\\', '/').toLowerCase()
  if (plain.length < 3) return null
  const all = [...knownNames()]
  const found = spelling(plain) ?? all.find(([lower]) => lower.endsWith(`/${plain}`))?.[1]
  if (found !== undefined) return found
  const close = all.map(([lower]) => lower).filter(lower => isWorthComparing(lower, plain))
  return spelling(nearest(plain, close) ?? '')
}

/** Comparing letter by letter costs; only names of much the same length that begin alike are looked at. */
function isWorthComparing(known: string, plain: string): boolean {
  return Math.abs(known.length - plain.length) <= 2 && known.startsWith(plain.slice(0, 3))
}
