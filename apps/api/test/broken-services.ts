import type { Services } from '@workly/services'

/** Services whose every statement fails with that error. */
export function brokenServices(services: Services, error: Error): Services {
  const fail = () => {
    throw error
  }
  const sql = new Proxy(services.sql, { apply: fail, get: () => fail })
  return { ...services, sql }
}
