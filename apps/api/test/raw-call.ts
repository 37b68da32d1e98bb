import { request } from 'node:http'
import { connect } from 'node:net'

export interface RawCall {
  port: number
  method: string
  path: string
  /** Sent as they are, `Host` too. */
  headers?: Record<string, string>
  body?: string
}

export interface RawAnswer {
  status: number
  headers: Record<string, string | string[] | undefined>
  text: string
}

/** A call over a socket whose headers are all the test's own, as `fetch` would not let it. */
export function rawCall({ port, method, path, headers = {}, body }: RawCall): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const call = request({
      host: '127.0.0.1',
      port,
      method,
      path,
      headers,
      setHost: headers.Host === undefined,
    })
    call.on('error', reject)
    call.on('response', response => {
      const chunks: Buffer[] = []
      response.on('data', chunk => chunks.push(chunk))
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8')
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text })
      })
    })
    call.end(body)
  })
}

/** Writes bytes to a socket and answers what comes back until the server closes, or until `until` is seen. */
export function rawBytes(port: number, bytes: string, until?: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1')
    let seen = ''
    socket.on('data', chunk => {
      seen += chunk.toString('latin1')
      if (until !== undefined && seen.includes(until)) socket.destroy()
    })
    socket.on('close', () => resolve(seen))
    socket.on('error', error => (seen === '' ? reject(error) : resolve(seen)))
    socket.write(bytes)
  })
}
