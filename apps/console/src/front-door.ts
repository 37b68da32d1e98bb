import type { IncomingMessage, ServerResponse } from 'node:http'
import type { TrustedProxies } from '@workly/services'
import { markClient } from './features/session/client-address.ts'
import { securityHeaders } from './security-headers.ts'

/** The largest body the console takes: a job with its payload of 2 MiB as text within JSON. */
const MOST_BYTES = 8 * 1024 * 1024
/** A sign-in is a few hundred bytes. */
const MOST_SIGN_IN_BYTES = 16 * 1024

type Handler = (request: IncomingMessage, response: ServerResponse) => Promise<void>

export interface FrontDoorOptions {
  https: boolean
  isTrusted: TrustedProxies
}

/**
 * Stands before everything that Next does: gives each answer its headers, tells the code behind it who calls, and turns
 * away addresses that cannot be read, Next's fetcher of images (the console has none to scale), and bodies that are too
 * large or do not say how large they are, before a byte of them is kept.
 */
export function frontDoor(handler: Handler, { https, isTrusted }: FrontDoorOptions): Handler {
  const headers = Object.entries(securityHeaders(https))
  return async (request, response) => {
    for (const [name, value] of headers) response.setHeader(name, value)
    const refusal =
      methodRefusal(request.method) ?? addressRefusal(request.url ?? '/') ?? bodyRefusal(request)
    if (refusal) {
      // The body is not read, so the connection cannot be used for another request.
      response.writeHead(refusal.status, { Connection: 'close', 'Content-Type': 'text/plain; charset=utf-8' })
      response.end(`${refusal.words}\n`)
      return
    }
    markClient(request, isTrusted)
    await handler(request, response)
  }
}

interface Refusal {
  status: number
  words: string
}

/** What the console's pages and calls use. */
const METHODS = ['GET', 'HEAD', 'POST', 'OPTIONS']

function methodRefusal(method = ''): Refusal | null {
  return METHODS.includes(method) ? null : { status: 405, words: 'The console does not take this method.' }
}

function addressRefusal(url: string): Refusal | null {
  const [path = ''] = url.split('?', 1)
  if (/^\/+_next\/image(?:\/|$)/.test(path))
    return { status: 404, words: 'There is nothing at this address.' }
  try {
    if (path.startsWith('/') && !decodeURIComponent(path).includes('\0')) return null
  } catch {
    // Told below.
  }
  return { status: 400, words: 'The address cannot be read.' }
}

function bodyRefusal({ headers, url = '/' }: IncomingMessage): Refusal | null {
  if (headers['transfer-encoding'] !== undefined) return { status: 411, words: 'Say how long the body is.' }
  const most = url.startsWith('/api/auth/') ? MOST_SIGN_IN_BYTES : MOST_BYTES
  const length = Number(headers['content-length'] ?? 0)
  return length <= most ? null : { status: 413, words: `The body is larger than ${most} bytes.` }
}
