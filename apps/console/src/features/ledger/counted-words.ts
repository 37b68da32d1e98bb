interface Counted {
  created: number
  retried: number
  unchanged: number
  unknown: number
}

/** What a backfill would do with the times of its range, in words. */
export function countedWords({ created, retried, unchanged, unknown }: Counted): string {
  const parts = [
    created > 0 && `${created} without a run ${created === 1 ? 'gets one' : 'get one'}`,
    retried > 0 && `${retried} skipped, failed, cancelled or done ${retried === 1 ? 'is' : 'are'} run again`,
    unchanged > 0 &&
      `${unchanged} ${unchanged === 1 ? 'stays' : 'stay'} as ${unchanged === 1 ? 'it is' : 'they are'}`,
    unknown > 0 &&
      `${unknown} ${unknown === 1 ? 'is' : 'are'} left alone, since retention may have removed a run`,
  ].filter(part => part !== false)
  return parts.length === 0 ? 'The schedule has no time in this range.' : `${parts.join('; ')}.`
}
