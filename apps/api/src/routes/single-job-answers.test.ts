import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { NIGHTLY, startTestApi, type TestApi } from '../../test/api-fixture.ts'

let api: TestApi
beforeAll(async () => {
  api = await startTestApi()
})
afterAll(() => api?.close())

describe.each(['/v1/jobs', '/v1/schedules'])('%s', base => {
  it('every answer of a single job carries its next five times, and a list when it runs next', async () => {
    const path = `${base}/nightly`
    const answers = [
      await api.call('PUT', path, { body: NIGHTLY }),
      await api.call('PUT', path, { body: NIGHTLY }),
      await api.call('PATCH', path, { body: { description: base } }),
      await api.call('GET', path),
      await api.call('POST', `${path}/pause`),
      await api.call('GET', path),
      await api.call('POST', `${path}/resume`),
    ]
    const times = answers[0]?.body.next_runs
    expect(times).toHaveLength(5)
    for (const [i, time] of times.entries()) {
      expect(time).toMatch(/T03:00:00Z$/)
      if (i > 0) expect(Date.parse(time) - Date.parse(times[i - 1])).toBe(86_400_000)
    }
    for (const answer of answers) {
      const { state, next_run_at, next_runs } = answer.body
      // The test may go over 03:00, where each later answer begins a day later.
      expect(next_runs).toHaveLength(5)
      expect(times.slice(0, 2)).toContain(next_runs[0])
      expect(next_run_at).toBe(state === 'paused' ? null : next_runs[0])
    }
    expect(answers.map(answer => answer.body.state)).toContain('paused')
    const [listed] = (await api.call('GET', base)).body.data
    expect(listed.next_run_at).toBe(answers.at(-1)?.body.next_run_at)
    await api.call('DELETE', path)
  })
})
