import { expect, it } from 'vitest'
import type { TestApi } from './api-fixture.ts'

interface Guarded {
  api: () => TestApi
  method: string
  /** Of something that the own project has, where the call is about one thing. */
  path: () => string
  body?: unknown
  /** The least scope that may. */
  scope: 'read' | 'run' | 'write'
  /** The call is about one thing: another tenant's is 404. */
  ofOneThing: boolean
}

/** What every call of the API refuses alike: 401 without a live key, 403 below its scope, 404 for another tenant's. */
export function itIsGuarded({ api, method, path, body, scope, ofOneThing }: Guarded): void {
  it('answers 401 without a key, with a wrong one, and with another scheme', async () => {
    const wrong = `${api().own.keys.write.slice(0, -1)}~`
    for (const key of [null, wrong, 'nonsense']) {
      const refused = await api().call(method, path(), { body, key })
      expect(refused.status).toBe(401)
      expect(refused.body.code).toBe('unauthorized')
      expect(refused.headers.get('www-authenticate')).toMatch(/^Bearer realm="Workly"/)
    }
    const basic = await api().call(method, path(), {
      body,
      key: null,
      headers: { Authorization: 'Basic YTpi' },
    })
    expect(basic.status).toBe(401)
  })

  if (scope !== 'read') {
    it(`answers 403 to a key below ${scope}, naming the scope`, async () => {
      const key = scope === 'write' ? api().own.keys.run : api().own.keys.read
      const refused = await api().call(method, path(), { body, key })
      expect(refused.status).toBe(403)
      expect(refused.body).toMatchObject({ code: 'forbidden', status: 403 })
      expect(refused.body.detail).toContain(`scope ${scope}`)
    })
  }

  if (ofOneThing) {
    it('answers 404 to another tenant, as for what is not there', async () => {
      const refused = await api().call(method, path(), { body, key: api().foreign.keys.write })
      expect(refused.status).toBe(404)
      expect(refused.body.code).toBe('not_found')
    })
  }
}
