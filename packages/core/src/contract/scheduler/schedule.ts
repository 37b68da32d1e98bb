import { z } from 'zod'
import { wholeNumber, wireText } from '../wire-text.ts'
import { requiredObject, withOneOf } from './one-of.ts'

/** When a schedulation runs (spec section 9): the organization scheduler's words for a job's schedule. */
export const schedulerSchedule = withOneOf(
  requiredObject(
    {
      /** Five fields, with one for seconds in front and one for years at the end where they are wanted. */
      cron: z
        .strictObject(
          {
            expression: wireText(1_000, 'is required: such as 0 0 2 * * *'),
            timeZone: wireText(100).nullish(),
          },
          '{"expression", "timeZone"}',
        )
        .nullish(),
      interval: z.strictObject({ minutes: wholeNumber(1, 5_256_000) }, '{"minutes": 1 to 5256000}').nullish(),
      executeNow: z.boolean('true or false').nullish(),
      from: wireText(64).nullish(),
      to: wireText(64).nullish(),
    },
    'an object with cron or interval',
  ),
  ['cron', 'interval'],
).meta({ id: 'SchedulerSchedule', description: 'When it runs: `cron` or `interval`.' })
export type SchedulerSchedule = z.infer<typeof schedulerSchedule>

const instant = z.string().meta({ format: 'date-time', examples: ['2026-12-01T02:00:00Z'] })

/** As lists show it. `at` is a job's that was made elsewhere to run once. */
export const schedulerScheduleRead = z
  .object({
    cron: z.object({ expression: z.string(), timeZone: z.string() }).optional(),
    interval: z.object({ minutes: z.int() }).optional(),
    at: instant.optional(),
    executeNow: z.literal(false),
    from: instant.optional(),
    to: instant.optional(),
  })
  .meta({ id: 'SchedulerScheduleRead', description: 'When it runs, as lists show it.' })
export type SchedulerScheduleRead = z.infer<typeof schedulerScheduleRead>
