import { request } from 'node:http'
import { expect, test } from '../harness/test.ts'

/** A call without a key, with whatever headers; `fetch` would not send all of these. */
function callWithoutKey(port: number, headers: Record<string, string>): Promise<number> {
  return new Promise((resolve, reject) => {
    const call = request(
      { host: '127.0.0.1', port, path: '/v1/jobs/by-the-door', method: 'GET', headers },
      response => {
        response.resume()
        resolve(response.statusCode ?? 0)
      },
    )
    call.on('error', reject)
    call.end()
  })
}

test('a call from this machine needs no key', async ({ stack, api, target }) => {
  await api.putJob('by-the-door', { cron: '0 3 * * *', url: target.url('/') })

  for (const host of [`localhost:${stack.port}`, `127.0.0.1:${stack.port}`, `[::1]:${stack.port}`])
    expect(await callWithoutKey(stack.port, { host }), host).toBe(200)
})

test('a page of another site that was opened on this machine needs one', async ({ stack, api, target }) => {
  await api.putJob('by-the-door', { cron: '0 3 * * *', url: target.url('/') })

  const host = `localhost:${stack.port}`
  const foreign: Record<string, string>[] = [
    { host: 'workly.example' },
    { host: `attacker.example:${stack.port}` },
    { host, origin: 'https://attacker.example' },
    { host, 'sec-fetch-site': 'cross-site' },
    { host, 'sec-fetch-site': 'same-site' },
    { host, 'x-forwarded-for': '203.0.113.7' },
    { host, forwarded: 'for=203.0.113.7' },
    { host, via: '1.1 proxy' },
    { host, 'workly-run-id': 'run_1' },
  ]
  for (const headers of foreign)
    expect(await callWithoutKey(stack.port, headers), JSON.stringify(headers)).toBe(401)
})

test('a job cannot go through the door: Workly’s own calls need a key like any other', async ({
  stack,
  api,
}) => {
  await api.putJob('inside', {
    cron: '0 3 * * *',
    method: 'DELETE',
    url: `${stack.url}/v1/jobs/inside`,
    max_attempts: 1,
  })
  const run = await api.ended((await api.trigger('inside')).id)

  expect(run).toMatchObject({ state: 'failed', attempts: [{ response: { status: 401 } }] })
  expect((await api.job('inside')).state).toBe('active')
})
