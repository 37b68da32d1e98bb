/**
 * What a schedule's times should be, worked out the slow way from Intl alone: every minute (or second) of a stretch of
 * time is put on the zone's wall clock, and every wall time is looked up there. Shares no code with core.
 */

/** Which wall times match. */
export interface WallMatch {
  day(year: number, month: number, day: number, weekday: number): boolean
  hours: ReadonlySet<number>
  minutes: ReadonlySet<number>
  seconds: ReadonlySet<number>
}

const HOUR_MS = 3_600_000
const MARGIN_MS = 50 * HOUR_MS
const formats = new Map<string, Intl.DateTimeFormat>()

/** The wall clock of a zone at an instant, as milliseconds since 1970 on that clock. */
export function wallClock(zone: string, ms: number): number {
  let format = formats.get(zone)
  if (format === undefined) {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    })
    formats.set(zone, format)
  }
  const [month = 0, day = 0, year = 0, hour = 0, minute = 0, second = 0] = (
    format.format(ms).match(/[0-9]+/g) ?? []
  ).map(Number)
  return Date.UTC(year, month - 1, day, hour, minute, second)
}

/** The times from `fromMs` to `toMs`, both inclusive, by spec section 2, in steps of a minute or a second. */
export function oracleTimes(
  zone: string,
  match: WallMatch,
  fromMs: number,
  toMs: number,
  stepMs: number,
): number[] {
  const startMs = Math.floor((fromMs - MARGIN_MS) / HOUR_MS) * HOUR_MS
  const { walls, firstWall, lastWall } = wallClocks(zone, startMs, toMs + MARGIN_MS, stepMs)
  /** By wall time, in steps from the first: the step at which clocks show it first, counted from 1. */
  const firstAt = new Int32Array((lastWall - firstWall) / stepMs + 1)
  const gaps: { fromWall: number; toWall: number; atMs: number }[] = []
  for (let i = 0; i < walls.length; i++) {
    const wall = walls[i] ?? 0
    const slot = (wall - firstWall) / stepMs
    if (firstAt[slot] === 0) firstAt[slot] = i + 1
    const before = walls[i - 1] ?? wall
    if (wall > before + stepMs) gaps.push({ fromWall: before, toWall: wall, atMs: startMs + i * stepMs })
  }
  const times = new Set<number>()
  for (const wall of matchingWalls(match, firstWall, lastWall, stepMs)) {
    const first = firstAt[(wall - firstWall) / stepMs] ?? 0
    const atMs =
      first > 0 ? startMs + (first - 1) * stepMs : gaps.find(g => wall > g.fromWall && wall < g.toWall)?.atMs
    if (atMs !== undefined && atMs >= fromMs && atMs <= toMs) times.add(atMs)
  }
  return [...times].sort((a, b) => a - b)
}

/** The wall clock at every step. Where it gained just an hour over an hour, it is not asked at every step between. */
function wallClocks(zone: string, startMs: number, endMs: number, stepMs: number) {
  const hours = Math.ceil((endMs - startMs) / HOUR_MS)
  const walls = new Float64Array(hours * (HOUR_MS / stepMs))
  let wall = wallClock(zone, startMs)
  let [firstWall, lastWall] = [wall, wall]
  let i = 0
  for (let hour = startMs; hour < startMs + hours * HOUR_MS; hour += HOUR_MS) {
    const next = wallClock(zone, hour + HOUR_MS)
    const steady = next - wall === HOUR_MS
    for (let ms = 0; ms < HOUR_MS; ms += stepMs) {
      const at = steady ? wall + ms : wallClock(zone, hour + ms)
      firstWall = Math.min(firstWall, at)
      lastWall = Math.max(lastWall, at)
      walls[i++] = at
    }
    wall = next
  }
  return { walls, firstWall, lastWall }
}

function* matchingWalls(
  match: WallMatch,
  firstWall: number,
  lastWall: number,
  stepMs: number,
): Generator<number> {
  for (let day = Math.floor(firstWall / 86_400_000) * 86_400_000; day <= lastWall; day += 86_400_000) {
    const date = new Date(day)
    if (!match.day(date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate(), date.getUTCDay()))
      continue
    for (const hour of match.hours) {
      for (const minute of match.minutes) {
        for (const second of match.seconds) {
          const wall = day + (hour * 3_600 + minute * 60 + second) * 1000
          if (wall >= firstWall && wall <= lastWall && wall % stepMs === 0) yield wall
        }
      }
    }
  }
}
