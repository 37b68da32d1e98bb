/** An end that is explained by one sentence and needs no stack. */
export class Stop extends Error {}

/**
 * Shows a step that takes time: `Installing packages… 14 s`. On failure the line ends, so that what follows starts anew.
 *
 * @template T
 * @param {string} doing
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function step(doing, work) {
  const begun = performance.now()
  process.stdout.write(`${doing}… `)
  try {
    const result = await work()
    process.stdout.write(`${seconds(begun)}\n`)
    return result
  } catch (error) {
    process.stdout.write('failed\n')
    throw error
  }
}

/**
 * @param {number} begun milliseconds of `performance.now()`
 * @returns {string} `0.4 s`, `14 s`
 */
export function seconds(begun) {
  const past = (performance.now() - begun) / 1000
  return `${past < 10 ? past.toFixed(1) : Math.round(past)} s`
}

/**
 * @param {string} text
 * @returns {string} its last lines
 */
export function tail(text, lines = 20) {
  return text.trimEnd().split('\n').slice(-lines).join('\n')
}
