import type { IncomingMessage, ServerResponse } from 'node:http'
import { fileURLToPath } from 'node:url'
import { readTrustedProxies } from '@workly/services'
import next from 'next'
import type { setComposition } from './compose.ts'
import { isHttps, trustedProxies } from './env.ts'
import { frontDoor } from './front-door.ts'

export { type ConsoleComposition, setComposition } from './compose.ts'

export interface ConsoleOptions {
  /** Compile on request, for work on the console itself. */
  dev: boolean
}

export type ConsoleHandler = (req: IncomingMessage, res: ServerResponse) => Promise<void>

/**
 * The console as a request handler of node:http. Without `dev` it serves what `next build` has made.
 * @throws Error when there is no build, or WORKLY_TRUSTED_PROXIES names what is no block of addresses
 */
export async function createConsoleHandler(options: ConsoleOptions): Promise<ConsoleHandler> {
  const isTrusted = readTrustedProxies(trustedProxies())
  const app = next({ dev: options.dev, dir: fileURLToPath(new URL('..', import.meta.url)) })
  await withoutChatter(app.prepare())
  return frontDoor(app.getRequestHandler(), { https: isHttps(), isTrusted })
}

/** Next tells of its configuration as it prepares; the start's own lines are not to be broken by that. Errors stay. */
async function withoutChatter(preparing: Promise<void>): Promise<void> {
  const { log } = console
  console.log = () => undefined
  try {
    await preparing
  } finally {
    console.log = log
  }
}

// Holds this module to what public.d.ts says of it.
export type Public = {
  createConsoleHandler: typeof createConsoleHandler
  setComposition: typeof setComposition
}
;((module: Public): typeof import('./public.d.ts') => module) satisfies unknown
