/** How long the answer to a request that makes something is still waited for once nobody wants it, in milliseconds. */
const ANSWERED_WITHIN_MS = 10_000

/**
 * Makes something in a cluster or engine, and does not hang up in the middle: who has been asked makes it all the same,
 * and a removal that looks for it before would find nothing and call it gone.
 * @param signal when it is aborted, the answer is waited for some seconds more
 * @throws the signal's reason, before anything is asked or in place of the answer; what `make` throws
 */
export async function outlast<T>(signal: AbortSignal, make: (signal: AbortSignal) => Promise<T>): Promise<T> {
  signal.throwIfAborted()
  const own = new AbortController()
  let timer: NodeJS.Timeout | undefined
  const give = () => {
    timer = setTimeout(() => own.abort(signal.reason), ANSWERED_WITHIN_MS)
  }
  signal.addEventListener('abort', give, { once: true })
  try {
    return await make(own.signal)
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', give)
    signal.throwIfAborted()
  }
}
