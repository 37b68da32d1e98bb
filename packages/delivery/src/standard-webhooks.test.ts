import { randomBytes } from 'node:crypto'
import { newSigningSecret, signaturesFor, verifySignature } from '@workly/core'
import { Webhook } from 'standardwebhooks'
import { describe, expect, it } from 'vitest'

const secret = newSigningSecret(randomBytes)
const other = newSigningSecret(randomBytes)
const id = 'run_01jd9z7q3m8kxxxxxxxxxxxxxx'
const body = '{"name":"žluťoučký kůň 😀"}'
// Its library reads the clock itself, and so must this.
const timestamp = Math.floor(Date.now() / 1000)

describe("Standard Webhooks' own library", () => {
  it('accepts what we sign, with one secret and during a rotation', () => {
    for (const secrets of [[secret], [other, secret], [secret, other]]) {
      const signature = signaturesFor({ id, timestamp, body: Buffer.from(body), secrets })
      const headers = {
        'webhook-id': id,
        'webhook-timestamp': `${timestamp}`,
        'webhook-signature': signature,
      }
      expect(new Webhook(secret).verify(body, headers)).toEqual(JSON.parse(body))
    }
  })

  it('refuses what we sign with another secret', () => {
    const signature = signaturesFor({ id, timestamp, body: Buffer.from(body), secrets: [other] })
    const headers = { 'webhook-id': id, 'webhook-timestamp': `${timestamp}`, 'webhook-signature': signature }
    expect(() => new Webhook(secret).verify(body, headers)).toThrow('No matching signature')
  })

  it('signs what we accept', () => {
    const signature = new Webhook(secret).sign(id, new Date(timestamp * 1000), body)
    const headers = { 'webhook-id': id, 'webhook-timestamp': `${timestamp}`, 'webhook-signature': signature }
    expect(verifySignature({ headers, body, secret, now: timestamp })).toEqual({ runId: id, timestamp })
  })
})
