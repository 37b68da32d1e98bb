import { HttpCaller } from '@workly/delivery'
import type { MakeCall, Services } from '@workly/services'

/** Makes test calls, through the same guard and caller as the worker's. */
export interface TestCaller {
  makeCall: MakeCall
  close(): Promise<void>
}

export function createTestCaller(services: Services, version: string): TestCaller {
  const caller = new HttpCaller({
    allowedPrivate: services.allowedPrivate,
    allowHttp: services.allowHttp,
    userAgent: `Workly/${version}`,
    maxIdle: 16,
  })
  return {
    makeCall: call => caller.call(call, Date.now()),
    close: () => caller.close(),
  }
}
