import { readdirSync, readFileSync } from 'node:fs'

/** Linux counts in hundredths of a second (proc(5): sysconf(_SC_CLK_TCK)). */
const TICKS_PER_SECOND = 100

interface Times {
  parent: number
  own: number
  /** Of children that have ended and were waited for. */
  children: number
}

function timesOf(pid: number | string): Times | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The command stands in parentheses and may hold any character.
    const fields = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number)
    const at = (n: number) => (fields[n] ?? 0) / TICKS_PER_SECOND
    return { parent: fields[1] ?? 0, own: at(11) + at(12), children: at(13) + at(14) }
  } catch {
    return undefined
  }
}

/** Seconds of processor time that a process has used, with its children, living or ended; 0 where there is no /proc. */
export function cpuSeconds(pid: number): number {
  let seconds = 0
  const self = timesOf(pid)
  if (self === undefined) return 0
  seconds += self.own + self.children
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue
    const times = timesOf(name)
    if (times?.parent === pid) seconds += times.own
  }
  return seconds
}

/** The most memory a process has held, in MiB; null where there is no /proc. */
export function peakMemoryMib(pid: number): number | null {
  try {
    const found = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))
    return found ? Math.round(Number(found[1]) / 1024) : null
  } catch {
    return null
  }
}

/** The memory a process holds now, in MiB; null where there is no /proc. */
export function memoryMib(pid: number): number | null {
  try {
    const found = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))
    return found ? Math.round(Number(found[1]) / 1024) : null
  } catch {
    return null
  }
}
