import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/**
 * Gives back to the system what loading the program has left, a sixth of what an idle worker would hold: V8 keeps the
 * room for as long as nothing asks for it. It takes some hundredths of a second in which nothing else is done, so it is
 * for before the start of work.
 */
export function giveBackMemory(): void {
  setFlagsFromString('--expose-gc')
  const collect: NodeJS.GCFunction = runInNewContext('gc')
  collect({ type: 'major', execution: 'sync', flavor: 'last-resort' })
}
