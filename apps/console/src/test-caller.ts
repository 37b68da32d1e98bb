import { HttpCaller } from '@workly/delivery'
import { bytesToKeep, type MakeCall, type Services } from '@workly/services'
import rootPackage from '../../../package.json' with { type: 'json' }

/** Makes test calls through the same guard and caller as the worker's, for a console that is a process of its own. */
export function createTestCaller(services: Services): MakeCall {
  const caller = new HttpCaller({
    allowedPrivate: services.allowedPrivate,
    allowHttp: services.allowHttp,
    userAgent: `Workly/${rootPackage.version}`,
    maxIdle: 16,
  })
  return (call, projectId) =>
    caller.call(
      {
        url: call.url,
        method: call.method,
        headers: call.headers,
        body: call.body,
        timeoutMs: call.timeoutMs,
        scope: projectId,
        keepBodyBytes: bytesToKeep(call.secrets),
      },
      Date.now(),
    )
}
