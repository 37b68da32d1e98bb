import type { CronExpression } from './cron-expression.ts'
import type { Dialect } from './cron-field.ts'
import type { ZoneOffsets } from './zone-offsets.ts'

/** The schedule fields of a job as they are sent (spec section 8). Null and absent are the same. */
export interface ScheduleFields {
  cron?: string | null | undefined
  interval_minutes?: number | null | undefined
  /** RFC 3339 with an offset, as `from` and `to`. */
  at?: string | null | undefined
  /** An IANA name; UTC when absent. */
  timezone?: string | null | undefined
  dialect?: Dialect | null | undefined
  from?: string | null | undefined
  to?: string | null | undefined
}

/** The same fields as they are stored: defaults filled in, instants in UTC, zones in IANA's spelling. */
export interface NormalFields {
  readonly cron: string | null
  readonly interval_minutes: number | null
  readonly at: string | null
  readonly timezone: string
  readonly dialect: Dialect
  readonly from: string | null
  readonly to: string | null
}

/** A cron expression on the wall clock of a zone. Milliseconds since epoch; both bounds belong to it. */
export interface CronSchedule {
  readonly kind: 'cron'
  readonly fields: NormalFields
  readonly expression: CronExpression
  readonly zone: ZoneOffsets
  readonly fromMs: number
  readonly toMs: number
}

/** Every so many milliseconds of elapsed time from `firstMs`, which is the first time, to `toMs` inclusive. */
export interface IntervalSchedule {
  readonly kind: 'interval'
  readonly fields: NormalFields
  readonly everyMs: number
  readonly firstMs: number
  readonly toMs: number
}

/** One instant, once. */
export interface AtSchedule {
  readonly kind: 'at'
  readonly fields: NormalFields
  readonly atMs: number
}

/** A schedule, ready to be asked for its times. Immutable. */
export type Schedule = CronSchedule | IntervalSchedule | AtSchedule
