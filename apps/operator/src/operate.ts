import { WorklyError } from '@workly/core'
import type { Environment, Services } from '@workly/services'
import { type Command, readCommand } from './command.ts'
import { compose } from './compose.ts'
import { rotate } from './encryption.ts'
import { type OperatorEnvironment, readOperatorEnv } from './env.ts'
import { help } from './help.ts'
import { changeLimits, clearLimits, showLimits } from './limits.ts'
import { Said } from './said.ts'

/** Where a command writes to. */
export interface Terminal {
  out(text: string): void
  err(text: string): void
}

/**
 * Carries out one command.
 * @returns the exit code: 0, 1 when it could not be carried out, 2 when it was not understood
 */
export async function operate(args: string[], env: Environment, terminal: Terminal): Promise<number> {
  try {
    const command = readCommand(args)
    terminal.out(command.name === 'help' ? help() : await carryOut(command, readEnv(env), terminal))
    return 0
  } catch (error) {
    const { text, exitCode } = explain(error)
    terminal.err(`${text}\n`)
    return exitCode
  }
}

function readEnv(env: Environment): OperatorEnvironment {
  try {
    return readOperatorEnv(env)
  } catch (error) {
    throw new Said(error instanceof Error ? error.message : String(error), 2)
  }
}

type Working = Exclude<Command, { name: 'help' }>

async function carryOut(command: Working, env: OperatorEnvironment, terminal: Terminal): Promise<string> {
  const { services, end } = await compose(env)
  try {
    return await run(services, command, terminal)
  } finally {
    await end()
  }
}

function run(services: Services, command: Working, terminal: Terminal): Promise<string> {
  switch (command.name) {
    case 'limits list':
      return showLimits(services, command.scope)
    case 'limits set':
      return changeLimits(services, command.scope, command.changes)
    case 'limits clear':
      return clearLimits(services, command.scope, command.keys)
    case 'encryption rotate':
      return rotate(services, terminal.out)
  }
}

/** What to tell of an error: one sentence where it is one of those that people meet. */
function explain(error: unknown): { text: string; exitCode: number } {
  if (error instanceof Said) return { text: error.message, exitCode: error.exitCode }
  if (error instanceof WorklyError) return { text: error.message, exitCode: 2 }
  if (!(error instanceof Error)) return { text: String(error), exitCode: 1 }
  const code = 'code' in error ? error.code : undefined
  if (code === '42P01') {
    return { text: 'This database has no tables of this Workly. Start Workly on it first.', exitCode: 1 }
  }
  if (code === 'ECONNREFUSED' || code === 'ENOTFOUND' || code === '28P01' || code === '3D000') {
    return { text: `The database at DATABASE_URL cannot be used: ${error.message}`, exitCode: 1 }
  }
  if (error.name === 'EmbeddedPostgresError') return { text: error.message, exitCode: 1 }
  return { text: error.stack ?? error.message, exitCode: 1 }
}
