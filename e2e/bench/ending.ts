type Close = () => Promise<unknown>

/** What is open, in the order of its opening. */
const open = new Set<Close>()

/**
 * Keeps in mind how something that was started is ended, so that it is ended also when the bench fails or is told to
 * stop.
 *
 * @param close ends it, whatever its state
 * @returns the same for whoever started it; a second call waits for the first
 */
export function atEnd(close: Close): () => Promise<void> {
  let closing: Promise<unknown> | undefined
  const once = async () => {
    closing ??= close().finally(() => open.delete(once))
    await closing
  }
  open.add(once)
  return once
}

/** Ends what is still open, the latest first; what cannot be ended is told and left. */
export async function endAll(): Promise<void> {
  for (const close of [...open].reverse()) await close().catch((error: unknown) => console.error(error))
}
