import { hmacSha256 as portable } from './sha256.ts'

interface NodeCrypto {
  createSecretKey(key: Uint8Array): object
  createHmac(algorithm: 'sha256', key: object): { update(data: Uint8Array): void; digest(): Uint8Array }
}

/**
 * The runtime's own HMAC where there is one. It is asked for at run time (Node ≥ 20.16, Bun, Deno) and not imported, so
 * that this file can be bundled for edge runtimes, which have no `node:crypto`.
 */
function nativeCrypto(): NodeCrypto | undefined {
  const { process } = globalThis as { process?: { getBuiltinModule?: (id: string) => unknown } }
  return process?.getBuiltinModule?.('node:crypto') as NodeCrypto | undefined
}

const native = nativeCrypto()

/** HMAC-SHA256 with one key, over the parts one after the other: 32 bytes. */
export type Hmac = (...parts: readonly Uint8Array[]) => Uint8Array

/** Makes a key ready for many digests: with Node's own, that is most of what a digest costs. */
export function hmacWith(key: Uint8Array): Hmac {
  if (native === undefined) return (...parts) => portable(key, ...parts)
  const { createHmac } = native
  const made = native.createSecretKey(key)
  return (...parts) => {
    const hmac = createHmac('sha256', made)
    for (const part of parts) hmac.update(part)
    return hmac.digest()
  }
}

/** HMAC-SHA256 of the parts one after the other: 32 bytes. */
export function hmacSha256(key: Uint8Array, ...parts: readonly Uint8Array[]): Uint8Array {
  return hmacWith(key)(...parts)
}
