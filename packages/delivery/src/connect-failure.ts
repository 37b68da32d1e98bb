import type { AttemptClass } from '@workly/core'

/** What a server's certificate says of itself, as node:tls words it. */
export interface ShownCertificate {
  valid_from: string
  valid_to: string
  /** `DNS:a.example, IP Address:192.0.2.1`; a certificate may have none. */
  subjectaltname?: string
}

/** Why there is no connection to a target. */
export class ConnectFailure extends Error {
  readonly class: Extract<AttemptClass, 'blocked' | 'dns' | 'connect' | 'tls' | 'reset'>
  /** Node's or OpenSSL's code, such as `ECONNREFUSED` or `CERT_HAS_EXPIRED`. */
  readonly code: string | null
  /** The certificate that the server showed, if it came to that. */
  readonly certificate: ShownCertificate | null

  constructor(
    cls: ConnectFailure['class'],
    code: string | null = null,
    certificate: ShownCertificate | null = null,
  ) {
    super(code === null ? cls : `${cls}: ${code}`)
    this.name = 'ConnectFailure'
    this.class = cls
    this.code = code
    this.certificate = certificate
  }
}

/** The code of a Node error, or null. */
export function errorCode(error: unknown): string | null {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null
}
