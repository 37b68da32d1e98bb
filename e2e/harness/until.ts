import { setTimeout as delay } from 'node:timers/promises'

const LOOK_AGAIN_MS = 100

/**
 * Looks again and again until what is seen fits. What Workly does can only be seen from outside by asking it.
 *
 * @param what what is waited for, for the error
 * @throws Error with what was seen last, after `withinMs`
 */
export async function until<T>(
  what: string,
  look: () => T | Promise<T>,
  fits: (seen: T) => boolean,
  withinMs = 30_000,
): Promise<T> {
  const deadline = performance.now() + withinMs
  for (;;) {
    const seen = await look()
    if (fits(seen)) return seen
    if (performance.now() > deadline) {
      throw new Error(`Not within ${withinMs / 1000} s: ${what}. Seen last: ${JSON.stringify(seen, null, 1)}`)
    }
    await delay(LOOK_AGAIN_MS)
  }
}

/**
 * @throws Error when the promise has not settled after `withinMs`
 */
export async function within<T>(
  what: string,
  withinMs: number,
  work: Promise<T>,
  seen: () => string = () => '',
): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new Error(`Not within ${withinMs / 1000} s: ${what}. ${seen()}`)),
      withinMs,
    )
  })
  return Promise.race([work, late]).finally(() => clearTimeout(timer))
}
