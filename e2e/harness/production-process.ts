import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { groundOf } from './ground.ts'
import { signal } from './processes.ts'
import { freePort, type Stack } from './stack.ts'
import { until } from './until.ts'

const APPS = fileURLToPath(new URL('../../apps/', import.meta.url))

/** One process of production, the API or the console, on a stack's database, started by its environment alone. */
export class ProductionProcess {
  readonly url: string
  readonly #child: ChildProcess
  output = ''

  private constructor(child: ChildProcess, port: number) {
    this.#child = child
    this.url = `http://127.0.0.1:${port}`
  }

  /** @param publicUrl where people reach it, through a proxy */
  static async start(app: 'api' | 'console', stack: Stack, publicUrl: string): Promise<ProductionProcess> {
    const port = await freePort()
    const { databaseUrl, encryptionKeys } = groundOf(stack)
    const child = spawn(
      process.execPath,
      ['--disable-warning=ExperimentalWarning', `${APPS}${app}/src/main.ts`],
      {
        stdio: ['ignore', 'pipe', 'pipe'],
        env: {
          PATH: process.env.PATH,
          NODE_ENV: 'production',
          NEXT_TELEMETRY_DISABLED: '1',
          DATABASE_URL: databaseUrl,
          WORKLY_ENCRYPTION_KEYS: encryptionKeys,
          WORKLY_PUBLIC_URL: publicUrl,
          NEXTAUTH_SECRET: 'of this test alone, and long enough',
          PORT: String(port),
        },
      },
    )
    const running = new ProductionProcess(child, port)
    const keep = (text: string) => {
      running.output += text
    }
    child.stdout.setEncoding('utf8').on('data', keep)
    child.stderr.setEncoding('utf8').on('data', keep)
    try {
      await until(
        `the ${app} listens`,
        () => running.output,
        text => /listen/.test(text),
      )
    } catch (error) {
      await running.stop()
      throw error
    }
    return running
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    const gone = once(this.#child, 'exit')
    signal(this.#child.pid ?? 0, 'SIGTERM')
    const late = setTimeout(() => signal(this.#child.pid ?? 0, 'SIGKILL'), 20_000)
    await gone
    clearTimeout(late)
  }
}
