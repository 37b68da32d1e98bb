import { type Dialect, nextTimes, parseSchedule, type Schedule, type ScheduleFields } from '../src/index.ts'

/**
 * How many "next five times" a second one core works out: warm (schedules compiled, instants varied, as a tick asks)
 * and cold (each expression read for the first time, as a preview of something just typed does).
 * Run with `node packages/core/bench/next-times.ts [seconds per measurement]`.
 */
const seconds = Number(process.argv[2] ?? 2)
const START_MS = Date.parse('2026-01-01T00:00:00Z')
const HOUR_MS = 3_600_000

const ZONES = [
  'UTC',
  'Europe/Stockholm',
  'America/New_York',
  'Asia/Kolkata',
  'Australia/Lord_Howe',
  'Africa/Casablanca',
]
const EXPRESSIONS: [string, Dialect][] = [
  ['*/15 * * * *', 'standard'],
  ['0 3 * * *', 'standard'],
  ['30 2 * * *', 'standard'],
  ['0 9 * * mon-fri', 'standard'],
  ['0 0 1 * *', 'standard'],
  ['0 0 13 * fri', 'standard'],
  ['0 0 29 2 *', 'standard'],
  ['*/20 * * * * *', 'extended'],
  ['0 0 12 1 1 ? 2027-2040', 'extended'],
]

/** Runs `work` over and over for the given time; calls a second. */
function perSecond(work: (i: number) => void): number {
  const until = performance.now() + seconds * 1000
  const started = performance.now()
  let calls = 0
  while (performance.now() < until) {
    for (let k = 0; k < 50; k++) work(calls++)
  }
  return Math.round(calls / ((performance.now() - started) / 1000))
}

function parse(fields: ScheduleFields): Schedule {
  return parseSchedule(fields, { createdAtMs: START_MS })
}

const schedules = EXPRESSIONS.flatMap(([cron, dialect]) =>
  ZONES.map(timezone => parse({ cron, dialect, timezone })),
)
const pick = (i: number): Schedule => schedules[i % schedules.length] ?? parse({ cron: '@daily' })
/** Within one year, hours and minutes apart. */
const instant = (i: number): number => START_MS + ((i * 7_919) % 8_760) * HOUR_MS + (i % 3_600) * 1000

for (let i = 0; i < 5_000; i++) nextTimes(pick(i), instant(i), 5)
const warm = perSecond(i => nextTimes(pick(i), instant(i), 5))
/** Never the same text twice, so that no cache helps but that of the zones. */
const cold = perSecond(i => {
  const day = 1 + (i % 28)
  const cron = `${i % 60} ${Math.floor(i / 60) % 24} ${day},${1 + (Math.floor(i / 1_440) % 28)} * ${Math.floor(i / 40_320) % 7}`
  nextTimes(parse({ cron, timezone: ZONES[i % ZONES.length] }), instant(i), 5)
})

console.log(JSON.stringify({ bench: 'next-times', unit: 'next five times per second', warm, cold }))
console.log(`next five times a second: ${warm} warm, ${cold} cold (aim: 10000 warm)`)
