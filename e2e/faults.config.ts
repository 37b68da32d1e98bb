import { defineConfig } from '@playwright/test'

/** The tests from outside that take minutes each: `npm run faults`. */
export default defineConfig({
  testDir: 'faults/long',
  testMatch: '**/*.spec.ts',
  workers: 2,
  timeout: 600_000,
  expect: { timeout: 10_000 },
  retries: 0,
  forbidOnly: true,
  reporter: 'list',
})
