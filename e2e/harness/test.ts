import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test as base } from '@playwright/test'
import { CHROMIUM_ARGS, findChromium } from './chromium.ts'
import type { Client } from './client.ts'
import { Stack } from './stack.ts'
import { Target } from './target.ts'

interface OfTest {
  /** The shared stack's API, with the demo project's key. */
  api: Client
  /** An endpoint of this test's own. */
  target: Target
  /** Tells what Workly said when a test fails. */
  workly: undefined
}

interface OfWorker {
  /**
   * Tests that name the same settings share one stack, one after the other; others get one of their own. A test that
   * needs an empty Workly sets a name that no other does.
   */
  stackEnv: Record<string, string>
  /** The running stack. */
  stack: Stack
}

export { expect } from '@playwright/test'

/** Playwright's `test` with a running Workly. */
export const test = base.extend<OfTest, OfWorker>({
  stackEnv: [{}, { scope: 'worker', option: true }],
  stack: [
    async ({ stackEnv }, use) => {
      const stack = await Stack.start({ env: stackEnv })
      try {
        await use(stack)
      } finally {
        await stack.remove()
      }
    },
    { scope: 'worker', timeout: 180_000 },
  ],
  api: async ({ stack }, use) => use(stack.api),
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of what a fixture needs from here.
  target: async ({}, use) => {
    const target = await Target.start()
    try {
      await use(target)
    } finally {
      await target.close()
    }
  },
  workly: [
    async ({ stack }, use, info) => {
      await use(undefined)
      if (info.status === info.expectedStatus) return
      const log = readFileSync(join(stack.dataDir, 'workly.log'), 'utf8')
      for (const [name, body] of Object.entries({ 'printed by Workly': stack.output, 'workly.log': log })) {
        await info.attach(name, { body: body.slice(-20_000), contentType: 'text/plain' })
      }
    },
    { auto: true },
  ],
  launchOptions: [
    // biome-ignore lint/correctness/noEmptyPattern: as above
    async ({}, use) => use({ executablePath: findChromium(), args: CHROMIUM_ARGS }),
    { scope: 'worker' },
  ],
})
