import { describe, expect, it } from 'vitest'
import { classifyFailure } from './classify-failure.ts'
import { connectMessage, dnsMessage, tlsMessage } from './failure-message.ts'

const withCode = (code: string, message = 'x') => Object.assign(new Error(message), { code })

describe('messages that no socket on loopback can bring about', () => {
  it('tell what DNS did', () => {
    expect(dnsMessage('a.example', 'ETIMEOUT')).toContain('did not answer in time')
    expect(dnsMessage('a.example', 'ESERVFAIL')).toContain('ESERVFAIL')
  })

  it('tell why there is no connection', () => {
    expect(connectMessage('a.example', 443, 'ENETUNREACH')).toContain('no route to a.example')
    expect(connectMessage('a.example', 443, 'ETIMEDOUT')).toContain('firewall')
    expect(connectMessage('a.example', 443, 'EMFILE')).toContain('EMFILE')
  })

  it('tell what is wrong with TLS', () => {
    expect(tlsMessage('a.example', 'CERT_REVOKED', null)).toContain('revoked')
    expect(tlsMessage('a.example', 'SELF_SIGNED_CERT_IN_CHAIN', null)).toContain('not publicly trusted')
    expect(tlsMessage('a.example', 'CERT_HAS_EXPIRED', null)).toBe(
      'The certificate of a.example expired; renew it.',
    )
    expect(tlsMessage('a.example', 'ERR_TLS_CERT_ALTNAME_INVALID', null)).toContain('is for another name')
    expect(tlsMessage('a.example', 'ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE', null)).toContain(
      'ALERT_HANDSHAKE',
    )
  })
})

describe('classes of errors that come late', () => {
  it.each([
    ['ECONNRESET', 'reset'],
    ['EPIPE', 'reset'],
    ['ETIMEDOUT', 'reset'],
    ['ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED', 'tls'],
    ['EPROTO', 'tls'],
    ['HPE_INVALID_CONSTANT', 'protocol'],
    ['UND_ERR_RES_CONTENT_LENGTH_MISMATCH', 'protocol'],
  ])('%s is %s', (code, cls) => {
    expect(classifyFailure(withCode(code))).toEqual({ class: cls, code })
  })

  it('an assertion on what the target sent is protocol', () => {
    expect(classifyFailure(new Error('assertion')).class).toBe('protocol')
  })
})
