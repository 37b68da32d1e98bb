import { parseCidrs } from '@workly/core'
import { type CallResult, type HttpCall, HttpCaller, type HttpCallerOptions } from '../src/index.ts'
import { FixedResolver } from './fixed-resolver.ts'
import { TestAuthority, TestReceiver, type TestReceiverOptions } from './test-receiver.ts'

/** The authority that callers of a fixture trust, in place of the public ones. */
export const authority = new TestAuthority()
export const targetCertificate = authority.issue({ names: ['target.test', '127.0.0.1'] })

export const text = (result: CallResult) => Buffer.from(result.body).toString()

/** Receivers and callers of one test file; `close` after each test. */
export class CallFixture {
  readonly #open: { close(): Promise<void> }[] = []

  async receiver(options: TestReceiverOptions = {}): Promise<TestReceiver> {
    const receiver = await TestReceiver.start(options)
    this.#open.push(receiver)
    return receiver
  }

  /** A caller that may call loopback and knows `target.test` as 127.0.0.1. */
  caller(options: Partial<HttpCallerOptions> = {}): HttpCaller {
    const caller = new HttpCaller({
      allowedPrivate: parseCidrs('127.0.0.0/8 ::1'),
      allowHttp: true,
      userAgent: 'Workly/1.2.3',
      ca: authority.cert,
      resolver: new FixedResolver({ 'target.test': ['127.0.0.1'] }),
      ...options,
    })
    this.#open.push(caller)
    return caller
  }

  async close(): Promise<void> {
    for (const thing of this.#open.splice(0).reverse()) await thing.close()
  }
}

/** A POST of `{}` with ten seconds of time, but for what is given. */
export function callOf(url: string, more: Partial<HttpCall> = {}): HttpCall {
  const body = Buffer.from('{}')
  return { url, method: 'POST', headers: {}, body, timeoutMs: 10_000, scope: 'prj_1', ...more }
}
