import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { until } from './until.ts'

/** Another process, as the operating system shows it. */
export interface SeenProcess {
  pid: number
  parent: number
  command: string
}

/** Whether a process of this number is there and has not ended (a zombie has). */
export function isAlive(pid: number): boolean {
  return seenProcesses().some(seen => seen.pid === pid)
}

/** The processes that this one has started and that have not ended. */
export function childrenOf(pid: number): SeenProcess[] {
  return seenProcesses().filter(seen => seen.parent === pid)
}

/** Resolves when none of the processes is there any more. */
export async function ended(pids: number[], withinMs = 30_000): Promise<void> {
  await until(
    'the processes have ended',
    () => seenProcesses().filter(seen => pids.includes(seen.pid)),
    left => left.length === 0,
    withinMs,
  )
}

/** Sends a signal; a process that has ended meanwhile is none the worse. */
export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
  }
}

function seenProcesses(): SeenProcess[] {
  return process.platform === 'linux' ? fromProc() : fromPs()
}

/** `ps` is missing from slim Linux images, so there `/proc` is read (proc(5)). */
function fromProc(): SeenProcess[] {
  return readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .flatMap(name => {
      try {
        const stat = readFileSync(`/proc/${name}/stat`, 'utf8')
        // The command stands in parentheses and may hold any character; state and parent follow the last one.
        const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
        if (state === 'Z' || state === 'X') return []
        const command = readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ')
        return [{ pid: Number(name), parent: Number(parent), command }]
      } catch {
        return [] // It ended in between.
      }
    })
}

function fromPs(): SeenProcess[] {
  const output = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,state=,args='], { encoding: 'utf8' })
  return output.split('\n').flatMap(line => {
    const [, pid, parent, state = '', command = ''] = /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(line) ?? []
    return pid === undefined || state.startsWith('Z')
      ? []
      : [{ pid: Number(pid), parent: Number(parent), command }]
  })
}
