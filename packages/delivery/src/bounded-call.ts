/**
 * Runs a call that takes a signal, and does not depend on its heeding it: some clients never settle when a connection
 * breaks in the middle of an answer.
 * @param timeoutMs after which the call is aborted and `late` thrown
 * @throws the signal's reason when that is aborted; `late()`; what the call throws
 */
export async function boundedCall<T>(
  signal: AbortSignal,
  timeoutMs: number,
  late: () => Error,
  call: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  signal.throwIfAborted()
  const own = new AbortController()
  const stop = () => own.abort(signal.reason)
  const aborted = new Promise<never>((_, reject) => {
    own.signal.addEventListener('abort', () => reject(own.signal.reason), { once: true })
  })
  signal.addEventListener('abort', stop, { once: true })
  const timer = setTimeout(() => own.abort(late()), timeoutMs)
  try {
    return await Promise.race([call(own.signal), aborted])
  } catch (error) {
    // A client words an abort in its own way; what is meant is the reason.
    if (own.signal.aborted) throw own.signal.reason
    throw error
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', stop)
  }
}
