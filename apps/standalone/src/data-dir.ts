import { access, constants, mkdir } from 'node:fs/promises'

/** What is wrong with the data folder, in one sentence. */
export class DataDirError extends Error {}

/**
 * Makes the data folder where there is none, before anything is kept in it.
 * @throws DataDirError with a sentence for the person at the terminal
 */
export async function makeDataDir(path: string): Promise<void> {
  try {
    await mkdir(path, { recursive: true })
    await access(path, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (error) {
    throw explainDataDir(error, path) ?? error
  }
}

/** @returns undefined when the error is not one of a folder or file that cannot be written */
export function explainDataDir(error: unknown, path: string): DataDirError | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  const why: Partial<Record<string, string>> = {
    EACCES: 'may not be written by this user',
    EPERM: 'may not be written by this user',
    EROFS: 'lies on a disk that is mounted read-only',
    ENOTDIR: 'cannot be made, since a part of its path is a file',
    EEXIST: 'is a file and no folder',
    ENOSPC: 'lies on a disk that is full',
  }
  const words = typeof code === 'string' ? why[code] : undefined
  if (words === undefined) return undefined
  return new DataDirError(`${path} ${words}; set WORKLY_DATA_DIR to a folder that Workly can use.`)
}
