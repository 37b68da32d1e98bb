import { existsSync, readFileSync } from 'node:fs'

/** The cases of a file of vectors, one JSON object a line. */
export function readVectors<Case>(file: URL): Case[] {
  const lines = readFileSync(file, 'utf8').split('\n')
  return lines.filter(line => line !== '').map(line => JSON.parse(line) as Case)
}

/**
 * The text of the file in the folder of shared vectors that lies beside the checkout where several projects use them;
 * null elsewhere. Copies in the tests must not drift from it.
 */
export function sharedVectors(name: string): string | null {
  const shared = new URL(`../../../../shared/vectors/${name}`, import.meta.url)
  return existsSync(shared) ? readFileSync(shared, 'utf8') : null
}
