import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { ROOT } from './place.mjs'

const NOT_SOURCES = new Set([
  'node_modules',
  '.next',
  '.turbo',
  'dist',
  'generated',
  'test',
  'bench',
  'coverage',
])

/**
 * One hash over files and, below folders, all sources (tests left out): it changes when any of them does.
 *
 * @param {string[]} paths files or folders, relative to the root; missing ones count as absent
 * @param {string[]} [more] anything else the result depends on
 * @param {string} [root] default the repository
 */
export function fingerprint(paths, more = [], root = ROOT) {
  const hash = createHash('sha256')
  for (const path of paths.flatMap(path => sourcesIn(join(root, path)))) {
    hash.update(`${relative(root, path)}\0`)
    hash.update(createHash('sha256').update(readFileSync(path)).digest())
  }
  return hash.update(JSON.stringify(more)).digest('hex')
}

/**
 * Does the work unless the stamp says that it was done for the same fingerprint; then stamps it.
 *
 * @param {string} stamp a file inside what the work makes, so that both go together
 * @param {string} print
 * @param {() => Promise<void>} work
 */
export async function unlessDone(stamp, print, work) {
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === print) return
  await work()
  mkdirSync(dirname(stamp), { recursive: true })
  writeFileSync(stamp, print)
}

/**
 * @param {string} path
 * @returns {string[]} sorted
 */
function sourcesIn(path) {
  if (!existsSync(path)) return []
  let entries
  try {
    entries = readdirSync(path, { withFileTypes: true })
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOTDIR') return [path]
    throw error
  }
  return entries
    .filter(
      entry =>
        !NOT_SOURCES.has(entry.name) && !entry.name.includes('.test.') && entry.name !== 'next-env.d.ts',
    )
    .flatMap(entry => (entry.isDirectory() ? sourcesIn(join(path, entry.name)) : [join(path, entry.name)]))
    .sort()
}
