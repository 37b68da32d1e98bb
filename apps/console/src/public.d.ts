/**
 * What other packages see of the console: its handler's types without Next's, which would change the global types of
 * whoever imports them. `handler.ts` is held to it.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { MakeCall, Services } from '@workly/services'

export interface ConsoleOptions {
  /** Compile on request, for work on the console itself. */
  dev: boolean
}

export type ConsoleHandler = (req: IncomingMessage, res: ServerResponse) => Promise<void>

/** What the console stands on, once per process. */
export interface ConsoleComposition {
  services: Services
  /** Shown at sign-in: where a person finds their first e-mail address and password. Only in the embedded default. */
  signInHint: string | null
  /** The project that a call of the API from this machine acts in without a key, by its slug. Only there. */
  keylessProject: string | null
  /** Makes test calls, through the network guard. */
  makeCall: MakeCall
}

/** The console as a request handler of node:http. @throws Error when there is no build */
export declare function createConsoleHandler(options: ConsoleOptions): Promise<ConsoleHandler>

/** Hands the console what its process has composed already. */
export declare function setComposition(composition: ConsoleComposition): void
