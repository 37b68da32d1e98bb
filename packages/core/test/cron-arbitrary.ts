import fc from 'fast-check'
import type { WallMatch } from './wall-clock-oracle.ts'

/** An expression together with what it should match, both made from the same random choices. */
export interface RandomCron {
  text: string
  dialect: 'standard' | 'extended'
  match: WallMatch
}

interface RandomField {
  text: string
  values: ReadonlySet<number>
}

const MONTHS = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ')
const DAYS = 'sun mon tue wed thu fri sat'.split(' ')

function item(min: number, max: number, name: (v: number) => string): fc.Arbitrary<RandomField> {
  const value = fc.integer({ min, max })
  const one = value.map(v => ({ text: name(v), values: new Set([v]) }))
  const stepped = fc.record({
    a: value,
    b: value,
    step: fc.integer({ min: 1, max: max + 2 }),
    bare: fc.boolean(),
  })
  const range = stepped.map(({ a, b, step, bare }) => {
    const [from, to] = a < b ? [a, b] : [b, a]
    return {
      text: `${name(from)}-${name(to)}${bare ? '' : `/${step}`}`,
      values: every(from, to, bare ? 1 : step),
    }
  })
  const star = fc
    .integer({ min: 2, max: max + 2 })
    .map(step => ({ text: `*/${step}`, values: every(min, max, step) }))
  return fc.oneof({ weight: 3, arbitrary: one }, range, star)
}

function every(from: number, to: number, step: number): Set<number> {
  const values = new Set<number>()
  for (let v = from; v <= to; v += step) values.add(v)
  return values
}

function field(min: number, max: number, starWeight: number, name: (v: number) => string = String) {
  const list = fc.array(item(min, max, name), { minLength: 1, maxLength: 3 }).map(items => ({
    text: items.map(i => i.text).join(','),
    values: new Set(items.flatMap(i => [...i.values])),
  }))
  const open = fc.constant({ text: '*', values: every(min, max, 1) })
  return fc.oneof({ weight: starWeight, arbitrary: open }, { weight: 3, arbitrary: list })
}

const minute = field(0, 59, 1)
const hour = field(0, 23, 2)
const dayOfMonth = field(1, 31, 4)
const month = fc.oneof(
  field(1, 12, 6),
  field(1, 12, 0, v => MONTHS[v - 1] ?? ''),
)
const dayOfWeek = fc.oneof(
  field(0, 6, 4),
  field(0, 7, 0),
  field(0, 6, 0, v => (DAYS[v] ?? '').toUpperCase()),
)

/** Five fields, or six with seconds. Dates that never come are among them. */
export function randomCron(withSeconds = false): fc.Arbitrary<RandomCron> {
  const second = withSeconds ? field(0, 59, 0) : fc.constant({ text: '', values: new Set([0]) })
  return fc.record({ second, minute, hour, dayOfMonth, month, dayOfWeek }).map(f => {
    const parts = [f.minute, f.hour, f.dayOfMonth, f.month, f.dayOfWeek].map(part => part.text)
    const weekdays = new Set([...f.dayOfWeek.values].map(v => v % 7))
    // crontab(5): only when neither day field starts with a star does a day match if either does.
    const either = !f.dayOfMonth.text.startsWith('*') && !f.dayOfWeek.text.startsWith('*')
    const day = (_year: number, m: number, d: number, weekday: number) => {
      const [date, week] = [f.dayOfMonth.values.has(d), weekdays.has(weekday)]
      return f.month.values.has(m) && (either ? date || week : date && week)
    }
    return {
      text: (withSeconds ? [f.second.text, ...parts] : parts).join(' '),
      dialect: withSeconds ? 'extended' : 'standard',
      match: { day, hours: f.hour.values, minutes: f.minute.values, seconds: f.second.values },
    }
  })
}
