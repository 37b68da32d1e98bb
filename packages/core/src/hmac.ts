import { hmacSha256 as portable } from './sha256.ts'

interface NodeCrypto {
  createHmac(algorithm: 'sha256', key: Uint8Array): { update(data: Uint8Array): void; digest(): Uint8Array }
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

/** HMAC-SHA256 of the parts one after the other: 32 bytes. */
export function hmacSha256(key: Uint8Array, ...parts: readonly Uint8Array[]): Uint8Array {
  if (native === undefined) return portable(key, ...parts)
  const hmac = native.createHmac('sha256', key)
  for (const part of parts) hmac.update(part)
  return hmac.digest()
}
