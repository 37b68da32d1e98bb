import { defineConfig } from '@playwright/test'

/** The tests from outside that take minutes each: `npm run faults`. */
export default defineConfig({
  testDir: 'faults/long',
  testMatch: '**/*.spec.ts',
  // One fault at a time: each is measured.
  workers: 1,
  timeout: 600_000,
  expect: { timeout: 10_000 },
  retries: 0,
  forbidOnly: true,
  reporter: 'list',
})
