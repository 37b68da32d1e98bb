import { expect, test } from 'vitest'
import { OPEN_NETWORKS } from './open-networks.ts'
import { welcomeText } from './welcome.ts'

const welcome = {
  url: 'http://localhost:7337',
  credentials: {
    email: 'demo@workly.test',
    password: 'hunter22',
    apiKey: 'wk_demo',
    signingSecret: undefined,
  },
  demo: { passwordFits: true, apiKeyLive: true },
  dataDir: '/srv/workly',
  openNetworks: OPEN_NETWORKS,
  note: undefined,
}

test('a start says that targets on this machine alone may be called, over http too, and that calls from it need no key', () => {
  expect(OPEN_NETWORKS).toBe('127.0.0.0/8,::1/128')
  const text = welcomeText(welcome)
  expect(text).toContain('Targets on this machine (127.0.0.0/8, ::1/128) may be called, over http and https.')
  expect(text).toContain('Calls from this machine need no key.')
  expect(text).toContain('Workly runs on http://localhost:7337')
})

test('a start says how to sign in, and where that is kept; what has been changed since is not said', () => {
  const first = welcomeText(welcome)
  for (const said of ['demo@workly.test', 'hunter22', 'wk_demo', '/srv/workly/credentials'])
    expect(first).toContain(said)
  const later = welcomeText({
    ...welcome,
    demo: { passwordFits: false, apiKeyLive: false },
    note: 'As root, the data lies elsewhere.',
  })
  for (const old of ['hunter22', 'wk_demo']) expect(later).not.toContain(old)
  expect(later).toContain('As root, the data lies elsewhere.')
})
