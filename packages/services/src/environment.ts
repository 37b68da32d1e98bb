import { type Cidr, type HttpAllowance, parseCidrs } from '@workly/core'
import { readTrustedProxies, type TrustedProxies } from './client-address.ts'
import { type EncryptionKeys, readEncryptionKeys } from './encryption.ts'
import { LIMIT_DEFAULTS, LIMIT_KEYS, LIMIT_RULES, type LimitDefaults } from './limits.ts'

/** Variables of an environment: `process.env`, which only the apps' `env.ts` may touch. */
export type Environment = Readonly<Record<string, string | undefined>>

/**
 * Reads variables and gathers what is wrong with them, so that all is told at once. No message holds the value of a
 * secret.
 */
export class EnvironmentReader {
  readonly #env: Environment
  readonly #problems: string[] = []

  constructor(env: Environment) {
    this.#env = env
  }

  /** @throws Error with one sentence for each variable that is missing or bad */
  check(): void {
    if (this.#problems.length > 0) throw new Error(this.#problems.join('\n'))
  }

  /** Adds a sentence on what does not go together. */
  refuse(problem: string): void {
    this.#problems.push(problem)
  }

  text(name: string): string | undefined {
    return this.#env[name] || undefined
  }

  required(name: string, form: string): string {
    const value = this.text(name)
    if (value === undefined) this.#problems.push(`${name} is not set; give one ${form}.`)
    return value ?? ''
  }

  url(name: string, protocols: readonly string[], example: string): string {
    const value = this.required(name, `such as ${example}`)
    const url = URL.canParse(value) ? new URL(value) : undefined
    const fits = url !== undefined && protocols.includes(url.protocol) && url.hash === ''
    // The value may hold a password, so it is not shown.
    if (value !== '' && !fits) this.#problems.push(`${name} is no URL of the form ${example}.`)
    return value
  }

  wholeNumber(name: string, fallback: number, min: number, max: number): number {
    const text = this.text(name)
    if (text === undefined) return fallback
    if (/^\d{1,15}$/.test(text) && Number(text) >= min && Number(text) <= max) return Number(text)
    this.#problems.push(`${name} is "${text}"; a whole number from ${min} to ${max} is allowed.`)
    return fallback
  }

  choice<const T extends string>(name: string, allowed: readonly T[], fallback: T): T {
    const text = this.text(name)
    const found = text === undefined ? fallback : allowed.find(a => a === text)
    if (found === undefined) this.#problems.push(`${name} is "${text}"; ${allowed.join(', ')} are allowed.`)
    return found ?? fallback
  }

  flag(name: string): boolean {
    return ['1', 'true'].includes(this.choice(name, ['0', '1', 'false', 'true'], '0'))
  }

  /** `WORKLY_TRUSTED_PROXIES`, which may be empty: then nobody's word is taken. */
  trustedProxies(): TrustedProxies {
    const name = 'WORKLY_TRUSTED_PROXIES'
    return this.parsed(
      name,
      name,
      () => readTrustedProxies(this.#env[name]),
      () => false,
    )
  }

  /** Whatever else can be read from a text; its error becomes the sentence. */
  parsed<T>(name: string, text: string, parse: (text: string) => T, fallback: T): T {
    try {
      return parse(text)
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error)
      this.#problems.push(message.includes(name) ? message : `${name}: ${message}`)
      return fallback
    }
  }
}

/** What every process that uses the services reads from its environment. */
export interface ServicesEnvironment {
  databaseUrl: string
  encryption: EncryptionKeys
  limits: LimitDefaults
  allowHttp: HttpAllowance
  allowedPrivate: Cidr[]
}

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const

function noKeys(): never {
  throw new Error('there are no encryption keys')
}

/** The operator's limits: `WORKLY_LIMIT_JOBS_PER_ORGANIZATION` and so on, one for each of {@link LimitDefaults}. */
export function readLimits(read: EnvironmentReader): LimitDefaults {
  const limits = { ...LIMIT_DEFAULTS }
  for (const key of LIMIT_KEYS) {
    const { min, max } = LIMIT_RULES[key]
    limits[key] = read.wholeNumber(`WORKLY_LIMIT_${key.toUpperCase()}`, limits[key], min, max)
  }
  return limits
}

/** `DATABASE_URL`, `WORKLY_ENCRYPTION_KEYS`, `WORKLY_LIMIT_*` and what the network guard is opened for. */
export function readServicesEnvironment(read: EnvironmentReader): ServicesEnvironment {
  const limits = readLimits(read)
  const keys = read.required('WORKLY_ENCRYPTION_KEYS', 'such as k1:<32 bytes in base64>')
  const none: EncryptionKeys = { newest: '', ids: [], encrypt: noKeys, decrypt: noKeys, mac: noKeys }
  const allow = read.choice('WORKLY_ALLOW_HTTP', ['0', '1', 'false', 'true', 'loopback'], '0')
  return {
    databaseUrl: read.url(
      'DATABASE_URL',
      ['postgres:', 'postgresql:'],
      'postgres://user:password@host:5432/database',
    ),
    encryption: keys === '' ? none : read.parsed('WORKLY_ENCRYPTION_KEYS', keys, readEncryptionKeys, none),
    limits,
    allowHttp: allow === 'loopback' ? 'loopback' : ['1', 'true'].includes(allow),
    allowedPrivate: read.parsed(
      'WORKLY_ALLOWED_PRIVATE_TARGETS',
      read.text('WORKLY_ALLOWED_PRIVATE_TARGETS') ?? '',
      parseCidrs,
      [],
    ),
  }
}
