import { gzipSync } from 'node:zlib'
import type { Answer } from './test-receiver.ts'

/** The part of an egress vector that says what the target does. */
export interface EgressServer {
  raw?: string
  close?: boolean
  silent_after?: 'tcp' | 'request'
  drip?: { first: string; each: string; every_ms: number }
  endless_chunks_bytes?: number
  gzip_zeros_mib?: number
  header_bytes?: number
  close_at?: 'tls'
  cert?: 'self-signed' | 'other.test'
  headers?: Record<string, string>
  env?: Record<string, string>
  resolver?: 'hangs' | 'hangs for host A' | string[] | string[][]
  resolver_registration?: string[]
  other_target?: { raw: string }
  parallel_to_same_host?: number
  attempts?: number
  target_headers?: Record<string, string>
}

export interface EgressExpectation {
  class?: string | string[]
  not_class?: string
  status?: number
  classes?: string[]
  each_class?: string
  connections_to_private?: number
  plain_http_requests?: number
  max_requests?: number
  within_ms_of_deadline?: number
  other_target_done_within_ms?: number
  max_bytes_read?: number
  ends_before_deadline?: boolean
  max_rss_growth_mib?: number
  second_attempt_body_is_not?: string
  refused_at_registration?: boolean
  not_crash?: boolean
}

export interface EgressCase {
  id: string
  group: string
  server: EgressServer
  expect: EgressExpectation
  why: string
}

const OK = { raw: 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok' }

/** What a receiver answers in this case. */
export function answerOf(server: EgressServer): Answer {
  if (server.silent_after === 'request') return 'hang'
  if (server.drip) {
    const { first, each, every_ms } = server.drip
    return { drip: { first, each, everyMs: every_ms } }
  }
  if (server.endless_chunks_bytes !== undefined) {
    const size = server.endless_chunks_bytes
    const each = `${size.toString(16)}\r\n${'x'.repeat(size)}\r\n`
    return { drip: { first: 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n', each, everyMs: 1 } }
  }
  if (server.gzip_zeros_mib !== undefined) {
    const body = gzipSync(Buffer.alloc(server.gzip_zeros_mib * 2 ** 20))
    return { headers: { 'content-encoding': 'gzip' }, body }
  }
  if (server.header_bytes !== undefined) {
    return {
      raw: `HTTP/1.1 200 OK\r\nx-large: ${'x'.repeat(server.header_bytes)}\r\ncontent-length: 0\r\n\r\n`,
    }
  }
  return server.raw === undefined ? OK : { raw: server.raw, close: server.close ?? false }
}
