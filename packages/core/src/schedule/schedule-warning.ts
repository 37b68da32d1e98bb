/** Something that is allowed but that people rarely mean (spec section 2). */
export interface ScheduleWarning {
  code:
    | 'dst_skipped_hour'
    | 'dst_repeated_hour'
    | 'uneven_step'
    | 'step_beyond_range'
    | 'every_minute_of_hour'
    | 'day_or_weekday'
    | 'weekday_numbers'
  field: 'cron'
  message: string
}
