import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { newApiKeyText } from '@workly/services'
import { readValues, writeValues } from './secret-file.ts'

/** How a person gets in. */
export interface Credentials {
  email: string
  password: string
  apiKey: string
}

/** What the server itself keeps secrets with. */
export interface ServerKeys {
  encryptionKeys: string
  authSecret: string
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
  }
  await writeValues(path, 'Sign-in and API key of this Workly. Delete the file to have new ones made.', {
    WORKLY_URL: url,
    WORKLY_EMAIL: credentials.email,
    WORKLY_PASSWORD: credentials.password,
    WORKLY_API_KEY: credentials.apiKey,
  })
  return credentials
}

/** Reads the keys that secrets are encrypted and sessions are sealed with, or makes them at the first start. */
export async function readServerKeys(dataDir: string): Promise<ServerKeys> {
  const path = join(dataDir, 'keys')
  const found = await readValues(path)
  const keys: ServerKeys = {
    encryptionKeys: found?.WORKLY_ENCRYPTION_KEYS ?? `k1:${randomBytes(32).toString('base64')}`,
    authSecret: found?.NEXTAUTH_SECRET ?? randomBytes(32).toString('base64url'),
  }
  if (!found) {
    await writeValues(path, 'Keys of this Workly. Without them its stored secrets cannot be read.', {
      WORKLY_ENCRYPTION_KEYS: keys.encryptionKeys,
      NEXTAUTH_SECRET: keys.authSecret,
    })
  }
  return keys
}
