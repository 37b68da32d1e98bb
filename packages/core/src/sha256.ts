/**
 * SHA-256 (FIPS 180-4) and HMAC (RFC 2104), synchronous and in plain JavaScript, for runtimes that have no
 * `node:crypto`: WebCrypto's own is asynchronous, and verifying a signature should not have to be.
 */

const BLOCK = 64

const words = (hex: string) => Uint32Array.from(hex.trim().split(/\s+/), word => Number.parseInt(word, 16))

/** First 32 bits of the fractional parts of the cube roots of the first 64 primes (FIPS 180-4 section 4.2.2). */
const K = words(`
  428a2f98 71374491 b5c0fbcf e9b5dba5 3956c25b 59f111f1 923f82a4 ab1c5ed5
  d807aa98 12835b01 243185be 550c7dc3 72be5d74 80deb1fe 9bdc06a7 c19bf174
  e49b69c1 efbe4786 0fc19dc6 240ca1cc 2de92c6f 4a7484aa 5cb0a9dc 76f988da
  983e5152 a831c66d b00327c8 bf597fc7 c6e00bf3 d5a79147 06ca6351 14292967
  27b70a85 2e1b2138 4d2c6dfc 53380d13 650a7354 766a0abb 81c2c92e 92722c85
  a2bfe8a1 a81a664b c24b8b70 c76c51a3 d192e819 d6990624 f40e3585 106aa070
  19a4c116 1e376c08 2748774c 34b0bcb5 391c0cb3 4ed8aa4a 5b9cca4f 682e6ff3
  748f82ee 78a5636f 84c87814 8cc70208 90befffa a4506ceb bef9a3f7 c67178f2
`)

/** The same of the square roots of the first 8 primes (section 5.3.3). */
const INITIAL = words('6a09e667 bb67ae85 3c6ef372 a54ff53a 510e527f 9b05688c 1f83d9ab 5be0cd19')

const rotate = (x: number, n: number) => (x >>> n) | (x << (32 - n))

/** One round of compression over the block that starts at `offset`. */
function compress(state: Uint32Array, w: Uint32Array, data: DataView, offset: number): void {
  for (let i = 0; i < 16; i++) w[i] = data.getUint32(offset + i * 4)
  for (let i = 16; i < 64; i++) {
    const x = w[i - 15] as number
    const y = w[i - 2] as number
    const s0 = rotate(x, 7) ^ rotate(x, 18) ^ (x >>> 3)
    const s1 = rotate(y, 17) ^ rotate(y, 19) ^ (y >>> 10)
    w[i] = (w[i - 16] as number) + s0 + (w[i - 7] as number) + s1
  }
  let a = state[0] as number
  let b = state[1] as number
  let c = state[2] as number
  let d = state[3] as number
  let e = state[4] as number
  let f = state[5] as number
  let g = state[6] as number
  let h = state[7] as number
  for (let i = 0; i < 64; i++) {
    const s1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)
    const t1 = (h + s1 + ((e & f) ^ (~e & g)) + (K[i] as number) + (w[i] as number)) | 0
    const s0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)
    const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0
    h = g
    g = f
    f = e
    e = (d + t1) | 0
    d = c
    c = b
    b = a
    a = (t1 + t2) | 0
  }
  const added = [a, b, c, d, e, f, g, h]
  for (let i = 0; i < 8; i++) state[i] = (state[i] as number) + (added[i] as number)
}

/** SHA-256 of the parts one after the other. */
export function sha256(...parts: readonly Uint8Array[]): Uint8Array {
  let length = 0
  for (const part of parts) length += part.length
  // The message, the bit 1, zeros, and the length in bits as 64 bits, up to a whole number of blocks.
  const padded = new Uint8Array(Math.ceil((length + 9) / BLOCK) * BLOCK)
  let offset = 0
  for (const part of parts) {
    padded.set(part, offset)
    offset += part.length
  }
  padded[length] = 0x80
  const data = new DataView(padded.buffer)
  data.setUint32(padded.length - 8, Math.floor(length / 2 ** 29))
  data.setUint32(padded.length - 4, (length << 3) >>> 0)
  const state = INITIAL.slice()
  const schedule = new Uint32Array(64)
  for (let at = 0; at < padded.length; at += BLOCK) compress(state, schedule, data, at)
  const digest = new DataView(new ArrayBuffer(32))
  for (let i = 0; i < 8; i++) digest.setUint32(i * 4, state[i] as number)
  return new Uint8Array(digest.buffer)
}

/** HMAC-SHA256 of the parts one after the other. */
export function hmacSha256(key: Uint8Array, ...parts: readonly Uint8Array[]): Uint8Array {
  const block = new Uint8Array(BLOCK)
  block.set(key.length > BLOCK ? sha256(key) : key)
  const inner = sha256(
    block.map(byte => byte ^ 0x36),
    ...parts,
  )
  return sha256(
    block.map(byte => byte ^ 0x5c),
    inner,
  )
}
