import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { newApiKeyText } from '@workly/services'
import { readValues, writeValues } from './secret-file.ts'

/** How a person gets in. */
export interface Credentials {
  email: string
  password: string
  apiKey: string
  /** The demo project's first signing secret (`whsec_…`); undefined where it was not kept. */
  signingSecret: string | undefined
}

/** What the server itself keeps secrets with. */
export interface ServerKeys {
  encryptionKeys: string
  authSecret: string
  /** Opens `/metrics`. */
  operatorToken: string
}

const DEMO_EMAIL = 'demo@workly.localhost'

/** Reads the sign-in and the API key, or makes them at the first start (spec section 14). */
export async function readCredentials(dataDir: string, url: string, now: Date): Promise<Credentials> {
  const path = join(dataDir, 'credentials')
  const found = await readValues(path)
  const credentials: Credentials = {
    email: found?.WORKLY_EMAIL ?? DEMO_EMAIL,
    password: found?.WORKLY_PASSWORD ?? randomBytes(12).toString('base64url'),
    apiKey: found?.WORKLY_API_KEY ?? newApiKeyText(now),
    signingSecret: found?.WORKLY_SIGNING_SECRET,
  }
  await writeCredentials(dataDir, url, credentials)
  return credentials
}

/** Keeps them where their owner alone reads them, for the next start and for scripts that `source` the file. */
export async function writeCredentials(
  dataDir: string,
  url: string,
  credentials: Credentials,
): Promise<void> {
  const { email, password, apiKey, signingSecret } = credentials
  await writeValues(
    join(dataDir, 'credentials'),
    'Sign-in and API key of this Workly. Delete the file to have new ones made.',
    {
      WORKLY_URL: url,
      WORKLY_EMAIL: email,
      WORKLY_PASSWORD: password,
      WORKLY_API_KEY: apiKey,
      ...(signingSecret !== undefined && { WORKLY_SIGNING_SECRET: signingSecret }),
    },
  )
}

/** Reads the keys that secrets are encrypted and sessions are sealed with, or makes them at the first start. */
export async function readServerKeys(dataDir: string): Promise<ServerKeys> {
  const path = join(dataDir, 'keys')
  const found = await readValues(path)
  const keys: ServerKeys = {
    encryptionKeys: found?.WORKLY_ENCRYPTION_KEYS ?? `k1:${randomBytes(32).toString('base64')}`,
    authSecret: found?.NEXTAUTH_SECRET ?? randomBytes(32).toString('base64url'),
    operatorToken: found?.WORKLY_OPERATOR_TOKEN ?? randomBytes(32).toString('base64url'),
  }
  if (!found?.WORKLY_OPERATOR_TOKEN) {
    await writeValues(path, 'Keys of this Workly. Without them its stored secrets cannot be read.', {
      WORKLY_ENCRYPTION_KEYS: keys.encryptionKeys,
      NEXTAUTH_SECRET: keys.authSecret,
      WORKLY_OPERATOR_TOKEN: keys.operatorToken,
    })
  }
  return keys
}
