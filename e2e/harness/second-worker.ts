import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { signal } from './processes.ts'
import type { Stack } from './stack.ts'
import { until } from './until.ts'

const MAIN = fileURLToPath(new URL('../../apps/worker/src/main.ts', import.meta.url))

/** One more worker on a stack's database, started as an operator would: by its environment alone. */
export class SecondWorker {
  readonly #child: ChildProcess
  output = ''

  private constructor(child: ChildProcess) {
    this.#child = child
  }

  static async start(stack: Stack): Promise<SecondWorker> {
    const cluster = join(stack.dataDir, 'postgres/cluster')
    const password = readFileSync(join(cluster, 'password'), 'utf8').trim()
    const port = readFileSync(join(cluster, 'port'), 'utf8').trim()
    const keys = readFileSync(join(stack.dataDir, 'keys'), 'utf8')
    const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', MAIN], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        PATH: process.env.PATH,
        NODE_ENV: 'production',
        DATABASE_URL: `postgres://postgres:${encodeURIComponent(password)}@127.0.0.1:${port}/workly`,
        WORKLY_ENCRYPTION_KEYS: /^WORKLY_ENCRYPTION_KEYS=(.*)$/m.exec(keys)?.[1],
        WORKLY_PUBLIC_URL: stack.url,
        WORKLY_ALLOW_HTTP: 'loopback',
        WORKLY_ALLOWED_PRIVATE_TARGETS: '127.0.0.0/8',
        WORKLY_SHUTDOWN_GRACE: '1',
      },
    })
    const worker = new SecondWorker(child)
    const keep = (text: string) => {
      worker.output += text
    }
    child.stdout.setEncoding('utf8').on('data', keep)
    child.stderr.setEncoding('utf8').on('data', keep)
    try {
      await until(
        'the second worker takes tasks',
        () => worker.output,
        text => text.includes('worker started'),
      )
    } catch (error) {
      await worker.stop()
      throw error
    }
    return worker
  }

  get pid(): number {
    return this.#child.pid ?? 0
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    const gone = once(this.#child, 'exit')
    signal(this.pid, 'SIGCONT')
    signal(this.pid, 'SIGTERM')
    const late = setTimeout(() => signal(this.pid, 'SIGKILL'), 20_000)
    await gone
    clearTimeout(late)
  }
}
