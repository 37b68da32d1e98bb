import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { chromium } from '@playwright/test'

/** What a browser in a container needs, and no talk with anybody but Workly. */
export const CHROMIUM_ARGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/**
 * The browser that the journeys are made in: `CHROMIUM_PATH`, else the system's own, else one that Playwright fetched.
 *
 * @throws Error that says how to get one
 */
export function findChromium(): string {
  const asked = process.env.CHROMIUM_PATH
  if (asked !== undefined && asked !== '') {
    if (existsSync(asked)) return asked
    throw new Error(`CHROMIUM_PATH names ${asked}, which does not exist.`)
  }
  const onPath = (process.env.PATH ?? '')
    .split(delimiter)
    .flatMap(folder => ['chromium', 'chromium-browser'].map(name => join(folder, name)))
  const found = [...onPath, chromium.executablePath()].find(existsSync)
  if (found !== undefined) return found
  throw new Error(
    'The browser tests need Chromium, and there is none: apt-get install -y chromium (Debian, Ubuntu), npx playwright install chromium (in e2e/), or set CHROMIUM_PATH.',
  )
}
