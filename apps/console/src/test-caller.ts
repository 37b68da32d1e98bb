import { HttpCaller } from '@workly/delivery'
import type { MakeCall, Services } from '@workly/services'
import rootPackage from '../../../package.json' with { type: 'json' }

/** Makes test calls through the same guard and caller as the worker's, for a console that is a process of its own. */
export function createTestCaller(services: Services): MakeCall {
  const caller = new HttpCaller({
    allowedPrivate: services.allowedPrivate,
    allowHttp: services.allowHttp,
    userAgent: `Workly/${rootPackage.version}`,
    maxIdle: 16,
  })
  return call => caller.call(call, Date.now())
}
