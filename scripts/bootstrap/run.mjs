import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import { environment, ROOT } from './place.mjs'

/**
 * @typedef {object} RunOptions
 * @property {string} [cwd] default the repository
 * @property {Record<string, string>} [env] on top of {@link environment}
 */

/**
 * Runs a command quietly.
 *
 * @param {string} command
 * @param {string[]} args
 * @param {RunOptions} [options]
 * @returns {Promise<{code: number, output: string}>} everything it printed; code 127 when it does not exist
 */
export function capture(command, args, options = {}) {
  return new Promise(resolve => {
    const child = spawn(command, args, {
      cwd: options.cwd ?? ROOT,
      env: { ...environment(), ...options.env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8')
      stream.on('data', text => {
        output += text
      })
    }
    const stopPassing = passSignals(child)
    child.once('error', error => resolve({ code: 127, output: String(error) }))
    child.once('close', (code, signal) => {
      stopPassing()
      resolve({ code: exitCode(code, signal), output })
    })
  })
}

/**
 * Runs a command in our place: it has our terminal, gets our signals, and its exit code is returned
 * (128 + n where signal n ended it, as shells say it).
 *
 * @param {string} command
 * @param {string[]} args
 * @param {RunOptions & {apart?: boolean}} [options] `apart`: in a process group of its own, so that a signal to our
 *   group (Ctrl-C, `timeout`, a closed terminal) reaches it once, through us, and its stop is not taken for impatience
 * @returns {Promise<number>}
 */
export function hand(command, args, options = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd: options.cwd ?? ROOT,
      env: { ...environment(), ...options.env },
      stdio: 'inherit',
      detached: options.apart === true,
    })
    const stopPassing = passSignals(child, options.apart === true)
    child.once('error', reject)
    child.once('exit', (code, signal) => {
      stopPassing()
      resolve(exitCode(code, signal))
    })
  })
}

/** The same request to stop may come from the terminal, from npm and from a supervisor within this time. */
const ONE_REQUEST_MS = 1_000

/**
 * @param {import('node:child_process').ChildProcess} child
 * @param {boolean} apart
 */
function passSignals(child, apart = false) {
  let passedAt = Number.NEGATIVE_INFINITY
  const pass = (/** @type {NodeJS.Signals} */ signal) => {
    // In our own group the terminal has told it already.
    if (!apart && signal === 'SIGINT' && process.stdin.isTTY) return
    if (apart && performance.now() - passedAt < ONE_REQUEST_MS) return
    passedAt = performance.now()
    child.kill(signal === 'SIGHUP' ? 'SIGTERM' : signal)
  }
  /** @type {NodeJS.Signals[]} */
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP']
  for (const signal of signals) process.on(signal, pass)
  return () => {
    for (const signal of signals) process.removeListener(signal, pass)
  }
}

/**
 * @param {number | null} code
 * @param {NodeJS.Signals | null} signal
 */
function exitCode(code, signal) {
  return code ?? 128 + (signal === null ? 1 : constants.signals[signal])
}
