'use client'

import {
  createContext,
  type ReactNode,
  useContext,
  useEffect,
  useMemo,
  useState,
  useSyncExternalStore,
} from 'react'
import { isKnownZone } from '#time/instant.ts'
import { rememberZone } from './preference-cookies.ts'

/**
 * How far the reader's clock is from the server's, in milliseconds: what the server said, against when its answer
 * began to arrive. Less than 1.5 s may be the way between them, and counts as none.
 */
function clockOffset(serverNow: number): number {
  const [navigation] = performance.getEntriesByType('navigation')
  const arrived =
    navigation instanceof PerformanceNavigationTiming
      ? performance.timeOrigin + navigation.responseStart
      : Date.now()
  const offset = serverNow - arrived
  return Math.abs(offset) < 1_500 ? 0 : offset
}

/** One second hand for the whole page; it stands still while nobody listens. */
class SecondHand {
  #listeners = new Set<() => void>()
  #timer: ReturnType<typeof setInterval> | undefined
  readonly #offset: number
  readonly #first: number
  #now: number

  /** @param serverNow what the server's clock said at the first render: the reader's clock may be wrong */
  constructor(serverNow: number) {
    this.#first = serverNow
    this.#now = serverNow
    this.#offset = typeof window === 'undefined' ? 0 : clockOffset(serverNow)
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    this.#timer ??= setInterval(this.#tick, 1_000)
    return () => {
      this.#listeners.delete(listener)
      if (this.#listeners.size > 0) return
      clearInterval(this.#timer)
      this.#timer = undefined
    }
  }

  readonly now = (): number => this.#now
  readonly first = (): number => this.#first

  readonly #tick = (): void => {
    this.#now = Date.now() + this.#offset
    for (const listener of this.#listeners) listener()
  }
}

interface Clock {
  hand: SecondHand
  zone: string
}

const ClockContext = createContext<Clock | null>(null)

/**
 * The time that relative times count from, and the reader's time zone. The zone of the last visit is known to the
 * server by a cookie, so that the first render needs no correction.
 */
export function ClockProvider({
  serverNow,
  zone,
  children,
}: {
  serverNow: number
  zone: string
  children: ReactNode
}) {
  const [hand] = useState(() => new SecondHand(serverNow))
  const [shownZone, setShownZone] = useState(zone)
  useEffect(() => {
    const own = Intl.DateTimeFormat().resolvedOptions().timeZone
    if (!own || !isKnownZone(own)) return
    rememberZone(own)
    setShownZone(own)
  }, [])
  const clock = useMemo(() => ({ hand, zone: shownZone }), [hand, shownZone])
  return <ClockContext value={clock}>{children}</ClockContext>
}

function useClock(): Clock {
  const clock = useContext(ClockContext)
  if (!clock) throw new Error('used outside a ClockProvider')
  return clock
}

/** Now, in milliseconds since the epoch, every second anew. */
export function useNow(): number {
  const { hand } = useClock()
  return useSyncExternalStore(hand.subscribe, hand.now, hand.first)
}

/** The reader's time zone, an IANA name. */
export function useViewerZone(): string {
  return useClock().zone
}
