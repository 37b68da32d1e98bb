import { existsSync } from 'node:fs'
import { delimiter, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Stop } from './report.mjs'

/** The repository. */
export const ROOT = resolve(fileURLToPath(new URL('../..', import.meta.url)))
/** What Workly keeps on this machine: data, logs, reports. Not in git. */
export const STATE = join(ROOT, '.workly')

/** The package manager, exactly; also in package.json's `packageManager`. */
export const PNPM = 'pnpm@10.34.9'

/** @param {string[]} parts */
export function inRoot(...parts) {
  return join(ROOT, ...parts)
}

/**
 * The Node that runs Workly: this one where it is 22.19 or newer (older ones lack what graphile-worker and undici need),
 * else the one that came with the packages.
 */
export function nodeBinary() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  if (major > 22 || (major === 22 && minor >= 19)) return process.execPath
  const platform = process.platform === 'win32' ? 'win' : process.platform
  const name = process.platform === 'win32' ? 'node.exe' : 'node'
  const path = inRoot('node_modules', `node-${platform}-${process.arch}`, 'bin', name)
  if (existsSync(path)) return path
  throw new Stop(
    `Workly needs Node 22.19 or newer on ${process.platform}-${process.arch}, where npm has none to fetch (this is ${process.version}): install it from https://nodejs.org.`,
  )
}

/** The environment of what the bootstrap starts: the packages' commands first on the path, nobody phones home. */
export function environment() {
  const { NODE_ENV: _, ...rest } = process.env
  return {
    ...rest,
    PATH: [inRoot('node_modules', '.bin'), process.env.PATH ?? ''].join(delimiter),
    CHECKPOINT_DISABLE: '1',
    NEXT_TELEMETRY_DISABLED: '1',
    TURBO_TELEMETRY_DISABLED: '1',
    DO_NOT_TRACK: '1',
  }
}
