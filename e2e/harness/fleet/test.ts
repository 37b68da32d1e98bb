import { writeFileSync } from 'node:fs'
import { test as base } from '@playwright/test'
import { FaultRecord } from './fault-record.ts'
import { Fleet, type FleetOptions } from './fleet.ts'

interface OfTest {
  /** What this test measures goes into the table at the end of `npm run faults`. */
  fault: FaultRecord
}

interface OfWorker {
  fleetOptions: FleetOptions
  /** Two workers and two APIs; a test that damages it mends it, or names options that no other test has. */
  fleet: Fleet
}

/** What a test attaches for the table. */
export const ATTACHED = 'measured'

export { expect } from '@playwright/test'

/** Playwright's `test` with a fleet. */
export const test = base.extend<OfTest, OfWorker>({
  fleetOptions: [{}, { scope: 'worker', option: true }],
  fleet: [
    async ({ fleetOptions }, use) => {
      const fleet = await Fleet.start(fleetOptions)
      try {
        await use(fleet)
      } finally {
        await fleet.remove()
      }
    },
    { scope: 'worker', timeout: 180_000 },
  ],
  fault: [
    async ({ fleet }, use, info) => {
      const record = new FaultRecord()
      await use(record)
      await info.attach(ATTACHED, {
        body: JSON.stringify(record.measured),
        contentType: 'application/json',
      })
      if (info.status === info.expectedStatus) return
      for (const [name, body] of Object.entries(fleet.output())) {
        const path = info.outputPath(`${name.replace(' ', '-')}.log`)
        writeFileSync(path, body)
        await info.attach(name, { path, contentType: 'text/plain' })
      }
    },
    { auto: true },
  ],
})
