import { parseArgs } from 'node:util'
import type { LimitScope } from '@workly/services'
import { Said } from './said.ts'

/** What was asked for. */
export type Command =
  | { name: 'help' }
  | { name: 'limits list'; scope: LimitScope | undefined }
  | { name: 'limits set'; scope: LimitScope; changes: Record<string, number | null> }
  | { name: 'limits clear'; scope: LimitScope; keys: string[] | 'all' }
  | { name: 'encryption rotate' }

interface Options {
  organization?: string | undefined
  project?: string | undefined
  all?: boolean | undefined
  help?: boolean | undefined
}

const misunderstood = (sentence: string) =>
  new Said(`${sentence} npm run operator -- help shows what there is.`, 2)

/**
 * Reads what stands behind `npm run operator --`.
 * @throws Said with exit code 2
 */
export function readCommand(args: string[]): Command {
  const { options, words } = parse(args)
  const [first, second, ...rest] = words
  if (options.help || first === undefined || first === 'help') return { name: 'help' }
  if (first === 'encryption') return readEncryption(second, rest, options)
  if (first !== 'limits') throw misunderstood(`There is no command ${JSON.stringify(first)}.`)
  if (second === 'set') return readSet(rest, options)
  if (second === 'clear') return readClear(rest, options)
  // Settings without a verb can only mean to set them.
  if (second?.includes('=')) return readSet([second, ...rest], options)
  if (second !== undefined && second !== 'list') {
    throw misunderstood(`limits ${second} is no command; list, set and clear are.`)
  }
  if (rest[0] !== undefined) throw misunderstood(`limits list takes no ${JSON.stringify(rest[0])}.`)
  refuse(options, 'all')
  return { name: 'limits list', scope: scopeOf(options) }
}

function parse(args: string[]): { options: Options; words: string[] } {
  try {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: {
        organization: { type: 'string' },
        project: { type: 'string' },
        all: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    })
    return { options: values, words: positionals }
  } catch (error) {
    throw misunderstood(`${error instanceof Error ? error.message.replace(/\.?$/, '.') : error}`)
  }
}

function scopeOf({ organization, project }: Options): LimitScope | undefined {
  if (organization === undefined && project !== undefined) {
    throw misunderstood('--project needs its --organization too.')
  }
  return organization === undefined ? undefined : { organization, project }
}

function requireScope(options: Options): LimitScope {
  const scope = scopeOf(options)
  if (!scope)
    throw misunderstood('Say whose limits: --organization <slug>, and --project <slug> for one project.')
  return scope
}

function refuse(options: Options, ...names: (keyof Options)[]): void {
  const given = names.find(name => options[name] !== undefined)
  if (given !== undefined) throw misunderstood(`--${given} does not belong to this command.`)
}

function readSet(pairs: string[], options: Options): Command {
  refuse(options, 'all')
  const scope = requireScope(options)
  if (pairs.length === 0) throw misunderstood('Say what to set, such as jobs_per_organization=20000.')
  const changes: Record<string, number> = {}
  for (const pair of pairs) {
    const [, key = '', value = ''] = /^([^=]+)=(.*)$/s.exec(pair) ?? []
    if (key === '') throw misunderstood(`${JSON.stringify(pair)} is not of the form <limit>=<number>.`)
    if (key in changes) throw misunderstood(`${key} is given twice.`)
    // What is no number in digits is refused with the limit's range, like a number outside it.
    changes[key] = /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : Number.NaN
  }
  return { name: 'limits set', scope, changes }
}

function readClear(keys: string[], options: Options): Command {
  const scope = requireScope(options)
  if (options.all && keys.length > 0) throw misunderstood('Give limits to clear or --all, not both.')
  if (!options.all && keys.length === 0) throw misunderstood('Say which limits to clear, or --all.')
  return { name: 'limits clear', scope, keys: options.all ? 'all' : keys }
}

function readEncryption(verb: string | undefined, rest: string[], options: Options): Command {
  if (verb !== 'rotate') throw misunderstood('The command is encryption rotate.')
  if (rest[0] !== undefined) throw misunderstood(`encryption rotate takes no ${JSON.stringify(rest[0])}.`)
  refuse(options, 'organization', 'project', 'all')
  return { name: 'encryption rotate' }
}
