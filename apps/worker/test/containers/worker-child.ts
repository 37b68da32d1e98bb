import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url))

/** A worker as a process of its own, so that it can be killed. */
export interface WorkerChild {
  kill(): Promise<void>
}

/** Resolves when it takes tasks. */
export async function startWorkerChild(env: Record<string, string>): Promise<WorkerChild> {
  const child: ChildProcess = fork(MAIN, [], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(([code]) => {
      throw new Error(`the worker ended with ${code}`)
    }),
  ])
  return {
    async kill() {
      if (child.exitCode !== null || child.signalCode !== null) return
      const exited = once(child, 'exit')
      child.kill('SIGKILL')
      await exited
    },
  }
}
