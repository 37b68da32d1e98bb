import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  type KeyObject,
  randomBytes,
} from 'node:crypto'

/** Keys for secrets at rest: the first encrypts, all decrypt (spec section 10, rotation). */
export interface EncryptionKeys {
  /** The id of the newest key. */
  readonly newest: string
  /** The ids of all keys, the newest first. */
  readonly ids: readonly string[]
  encrypt(plain: string, bind: string): { ciphertext: Buffer; keyId: string }
  /** @throws Error when the key is unknown or the ciphertext was not made for `bind` */
  decrypt(ciphertext: Uint8Array, keyId: string, bind: string): string
  /**
   * A keyed digest that only this server can make, and can make again: callback tokens are one of the attempt's id.
   * @param keyId the key to use; default the newest
   * @throws Error when the key is unknown
   */
  mac(text: string, keyId?: string): { mac: Buffer; keyId: string }
}

/**
 * Reads `WORKLY_ENCRYPTION_KEYS`: `id:base64` pairs of 32-byte keys, separated by commas, the newest first.
 * AES-256-GCM; `bind` (the owning row's id) is authenticated too, so that a ciphertext moved to another row is refused.
 * @throws Error naming what is wrong with the list, never a key
 */
export function readEncryptionKeys(list: string): EncryptionKeys {
  const keys = new Map<string, Buffer>()
  for (const part of list.split(',').map(p => p.trim())) {
    const [id, encoded, ...rest] = part.split(':')
    const key = Buffer.from(encoded ?? '', 'base64')
    if (!id || rest.length > 0 || key.length !== 32) {
      throw new Error('WORKLY_ENCRYPTION_KEYS: each entry is id:key, the key being 32 bytes in base64')
    }
    if (keys.has(id)) throw new Error(`WORKLY_ENCRYPTION_KEYS: the id ${id} stands twice`)
    keys.set(id, key)
  }
  // Made once: making a key ready costs more than a digest with it.
  const macKeys = new Map<string, KeyObject>()
  const macKey = (keyId: string): KeyObject => {
    const made = macKeys.get(keyId)
    if (made) return made
    const key = keys.get(keyId)
    if (!key) throw new Error(`no encryption key ${keyId} in WORKLY_ENCRYPTION_KEYS`)
    // A key of its own for this use, so that no digest says anything about a ciphertext.
    const derived = createSecretKey(createHmac('sha256', key).update('workly mac').digest())
    macKeys.set(keyId, derived)
    return derived
  }
  const first = keys.entries().next().value
  if (!first) throw new Error('WORKLY_ENCRYPTION_KEYS is empty')
  const [currentId, current] = first
  return {
    newest: currentId,
    ids: [...keys.keys()],
    encrypt(plain, bind) {
      const nonce = randomBytes(12)
      const cipher = createCipheriv('aes-256-gcm', current, nonce).setAAD(Buffer.from(bind))
      const sealed = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()])
      return { ciphertext: Buffer.concat([nonce, cipher.getAuthTag(), sealed]), keyId: currentId }
    },
    mac(text, keyId = currentId) {
      return { mac: createHmac('sha256', macKey(keyId)).update(text).digest(), keyId }
    },
    decrypt(ciphertext, keyId, bind) {
      const key = keys.get(keyId)
      if (!key) throw new Error(`no encryption key ${keyId} in WORKLY_ENCRYPTION_KEYS`)
      const bytes = Buffer.from(ciphertext)
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12))
      decipher.setAAD(Buffer.from(bind)).setAuthTag(bytes.subarray(12, 28))
      return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString('utf8')
    },
  }
}
