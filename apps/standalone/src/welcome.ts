import { join } from 'node:path'
import type { Demo } from '@workly/services'
import type { Credentials } from './credentials.ts'

/** What is said at the start of the embedded default. */
export interface Welcome {
  url: string
  credentials: Credentials
  demo: Pick<Demo, 'passwordFits' | 'apiKeyLive'>
  dataDir: string
  /** CIDRs of this machine that targets may be in, separated by commas. */
  openNetworks: string
  /** What else is to be said of where the data lies; absent where it is where it was asked for. */
  note: string | undefined
}

/** What to print of the sign-in: what is kept may have been changed or revoked in the console since. */
function signInLines({ credentials, demo }: Welcome): string[] {
  return [
    `  Sign in    ${credentials.email}`,
    demo.passwordFits
      ? `  Password   ${credentials.password}`
      : '  Password   the one you have set since the first start',
    demo.apiKeyLive
      ? `  API key    ${credentials.apiKey}`
      : '  API key    the first one was revoked; make another in the console',
  ]
}

/** Where Workly runs, how to sign in, and what it opens, since it listens on loopback only (spec sections 7, 8 and 14). */
export function welcomeText(welcome: Welcome): string {
  const { url, dataDir, openNetworks, note } = welcome
  return [
    '',
    `  Workly runs on ${url}`,
    '',
    ...signInLines(welcome),
    '',
    `  They are kept in ${join(dataDir, 'credentials')}. Calls from this machine need no key.`,
    `  Targets on this machine (${openNetworks.replace(',', ', ')}) may be called, over http and https.`,
    ...(note ? [`  ${note}`] : []),
    '  Ctrl-C stops it; the data stays.',
    '',
  ].join('\n')
}
