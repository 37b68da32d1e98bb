import { fileURLToPath } from 'node:url'
import { type Environment, EnvironmentReader, type LimitDefaults, readLimits } from '@workly/services'

/** What the operator's commands read from the environment. */
export interface OperatorEnvironment {
  /** `DATABASE_URL`; absent: the embedded default of this folder. */
  databaseUrl: string | undefined
  /** `WORKLY_DATA_DIR`: where the embedded default keeps its data. */
  dataDir: string
  /** `WORKLY_ENCRYPTION_KEYS`; absent: those that the embedded default keeps. */
  encryptionKeys: string | undefined
  /** `WORKLY_LIMIT_*`: what holds where nothing is set. */
  limits: LimitDefaults
}

const DEFAULT_DATA_DIR = fileURLToPath(new URL('../../../.workly', import.meta.url))

/** @throws Error with one sentence for each variable that is bad */
export function readOperatorEnv(variables: Environment): OperatorEnvironment {
  const read = new EnvironmentReader(variables)
  const forms = ['postgres:', 'postgresql:']
  const env: OperatorEnvironment = {
    databaseUrl:
      read.text('DATABASE_URL') === undefined
        ? undefined
        : read.url('DATABASE_URL', forms, 'postgres://user:password@host:5432/database'),
    dataDir: read.text('WORKLY_DATA_DIR') ?? DEFAULT_DATA_DIR,
    encryptionKeys: read.text('WORKLY_ENCRYPTION_KEYS'),
    limits: readLimits(read),
  }
  read.check()
  return env
}

/** All variables of this process. */
export function allOfEnvironment(): Environment {
  return process.env
}
