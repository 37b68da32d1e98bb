import { Stack } from '../harness/stack.ts'
import { BURST_SETTINGS, measureBurst, measureKilledBurst } from './burst.ts'
import { measureClaim } from './claim.ts'
import { measureDelay } from './delay.ts'
import { atEnd } from './ending.ts'
import type { Figure } from './figure.ts'
import { GET_SETTINGS, measureGetJob } from './get-job.ts'
import { HELD_SETTINGS, measureHeld } from './held.ts'
import { measureIdle, measureStandalone } from './idle.ts'
import { openStore } from './large/open-store.ts'
import { STORE_LIMITS, Store } from './large/store.ts'
import { measureLists } from './lists.ts'
import { measureRetention } from './retention.ts'
import { compareWithBullmq, THROUGHPUT_SETTINGS } from './throughput/compare.ts'
import { measureWaits } from './waits.ts'

/** What one call of the bench asks for. */
export interface Asked {
  /** Sizes that are made in a minute. */
  small: boolean
  /** How long what has no end of its own is watched. */
  seconds: number
  /** Jobs of each burst. */
  bursts: number[]
  /** A folder to keep the database of `lists` and `claim` in. */
  store: string | undefined
}

/** Something that is measured by itself. */
export interface Bench {
  /** Longest that it may take; then it counts as not measured. */
  minutes: number
  /** The operator's settings that are raised for it. */
  raised?: Readonly<Record<string, string>>
  measure(asked: Asked): Promise<Figure[]>
}

const storeSize = ({ small }: Asked) =>
  small ? { jobs: 20_000, runs: 50_000 } : { jobs: 1_000_000, runs: 5_000_000 }

/** By name, in the order in which they are measured: the large database comes last. */
export const BENCHES: Readonly<Record<string, Bench>> = {
  throughput: {
    minutes: 10,
    raised: THROUGHPUT_SETTINGS,
    measure: ({ small }) => compareWithBullmq(small ? 1_000 : 10_000, small ? 1 : 3),
  },
  delay: {
    minutes: 10,
    async measure({ seconds }) {
      const starting = Stack.start()
      const remove = atEnd(async () => (await starting).remove())
      return measureDelay(await starting, seconds).finally(remove)
    },
  },
  burst: {
    minutes: 10,
    raised: BURST_SETTINGS,
    async measure({ bursts }) {
      const figures: Figure[] = []
      for (const jobs of bursts) figures.push(...(await measureBurst(jobs)))
      return figures
    },
  },
  kill: {
    minutes: 5,
    raised: BURST_SETTINGS,
    measure: ({ small }) => measureKilledBurst(small ? 500 : 5_000),
  },
  idle: {
    minutes: 10,
    measure: ({ small, seconds }) => measureIdle(small ? 5_000 : 100_000, seconds),
  },
  held: {
    minutes: 10,
    raised: HELD_SETTINGS,
    measure: ({ small }) => measureHeld(small ? 2_000 : 50_000, small ? 5 : 20),
  },
  waits: {
    minutes: 10,
    measure: ({ small, seconds }) => measureWaits(small ? 1_000 : 10_000, seconds),
  },
  get: {
    minutes: 5,
    raised: GET_SETTINGS,
    measure: ({ small }) => measureGetJob(small ? 2 : 5, small ? 1 : 5),
  },
  standalone: { minutes: 10, measure: ({ seconds }) => measureStandalone(seconds) },
  retention: {
    minutes: 10,
    // A store of its own, since much of it is gone afterwards.
    async measure({ small }) {
      const size = small ? { jobs: 5_000, runs: 100_000 } : { jobs: 20_000, runs: 1_000_000 }
      const store = await Store.open(size, undefined)
      return measureRetention(store).finally(() => store.close())
    },
  },
  lists: {
    minutes: 60,
    measure: async asked => measureLists(await openStore(storeSize(asked), asked.store)),
  },
  claim: {
    minutes: 60,
    raised: {
      WORKLY_LIMIT_PROJECT_CALLS_IN_FLIGHT: String(STORE_LIMITS.project_calls_in_flight),
      WORKLY_LIMIT_HOST_CALLS_IN_FLIGHT: String(STORE_LIMITS.host_calls_in_flight),
    },
    measure: async asked =>
      measureClaim(await openStore(storeSize(asked), asked.store), storeSize(asked).jobs),
  },
}
