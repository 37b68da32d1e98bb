import { defineConfig } from '@playwright/test'

/** The tests from outside that `npm test` runs; those that take minutes are in `faults/long` (`npm run faults`). */
export default defineConfig({
  testDir: '.',
  testMatch: '**/*.spec.ts',
  testIgnore: ['**/faults/long/**', '**/node_modules/**'],
  // Most of the time is waiting: for a minute to turn, a retry, a lease to run out.
  workers: 3,
  timeout: 60_000,
  expect: { timeout: 10_000 },
  retries: 0,
  forbidOnly: true,
  reporter: 'list',
})
