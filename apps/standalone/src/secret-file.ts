import { mkdir, open, readFile, rename } from 'node:fs/promises'
import { dirname } from 'node:path'

/** Values by name, as `NAME=value` lines: a shell can `source` the file. */
export type Values = Record<string, string>

/** @returns undefined where there is no file */
export async function readValues(path: string): Promise<Values | undefined> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (text === undefined) return undefined
  const lines = text.split('\n').filter(line => line.includes('=') && !line.startsWith('#'))
  return Object.fromEntries(
    lines.map(line => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1).trim()]),
  )
}

/** Writes a file that only its owner can read (0600), whole or not at all. */
export async function writeValues(path: string, comment: string, values: Values): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  const lines = Object.entries(values).map(([name, value]) => `${name}=${value}`)
  const beside = `${path}.new`
  const file = await open(beside, 'w', 0o600)
  try {
    await file.chmod(0o600)
    await file.writeFile(`# ${comment}\n${lines.join('\n')}\n`)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(beside, path)
}
