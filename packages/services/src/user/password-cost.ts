/** What a guess costs: parameters of scrypt (RFC 7914). They are stored with each hash, so they can grow. */
export interface PasswordCost {
  log2N: number
  r: number
  p: number
}

/** OWASP's first choice for scrypt: 128 MiB and some 0.4 s per hash. */
export const PASSWORD_COST: PasswordCost = { log2N: 17, r: 8, p: 1 }
