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
 * @param {RunOptions} [options]
 * @returns {Promise<number>}
 */
export function hand(command, args, options = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd: options.cwd ?? ROOT,
      env: { ...environment(), ...options.env },
      stdio: 'inherit',
    })
    const stopPassing = passSignals(child)
    child.once('error', reject)
    child.once('exit', (code, signal) => {
      stopPassing()
      resolve(exitCode(code, signal))
    })
  })
}

/**
 * Ctrl-C in a terminal reaches the child by itself, being in the same process group: passing it on would make it two.
 *
 * @param {import('node:child_process').ChildProcess} child
 */
function passSignals(child) {
  /** @type {[NodeJS.Signals, () => void][]} */
  const handlers = ['SIGINT', 'SIGTERM', 'SIGHUP'].map(name => {
    const signal = /** @type {NodeJS.Signals} */ (name)
    return [signal, () => void ((signal === 'SIGINT' && process.stdin.isTTY) || child.kill(signal))]
  })
  for (const [signal, handler] of handlers) process.on(signal, handler)
  return () => {
    for (const [signal, handler] of handlers) process.removeListener(signal, handler)
  }
}

/**
 * @param {number | null} code
 * @param {NodeJS.Signals | null} signal
 */
function exitCode(code, signal) {
  return code ?? 128 + (signal === null ? 1 : constants.signals[signal])
}
