import { defineConfig } from '@playwright/test'

/** The tests from outside that `npm test` runs; those that take minutes are in `faults/long` (`npm run faults`). */
export default defineConfig({
  projects: [
    { name: 'api', testDir: 'api' },
    { name: 'faults', testDir: 'faults', testIgnore: '**/long/**' },
    { name: 'desktop', testDir: 'journeys', use: { viewport: { width: 1280, height: 800 } } },
    {
      name: 'phone',
      testDir: 'journeys',
      use: { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
    },
  ],
  testMatch: '**/*.spec.ts',
  // Most of the time is waiting: for a minute to turn, a retry, a lease to run out.
  workers: 3,
  timeout: 120_000,
  expect: { timeout: 10_000 },
  retries: 0,
  forbidOnly: true,
  reporter: 'list',
})
