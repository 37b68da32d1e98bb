import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/**
 * The customer's endpoint as a process of its own, the same for both sides: it answers every POST at once and keeps the
 * time of each arrival. `GET /` tells what has come, `HEAD /` how many, `DELETE /` forgets it. Its first line is its port.
 */

const arrivals: number[] = []
const seen = new Set<string>()
let calls = 0

const server = createServer((request, response) => {
  if (request.method === 'HEAD') {
    response.setHeader('x-calls', String(calls))
    response.end()
    return
  }
  if (request.method === 'GET') {
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ calls, distinct: seen.size, arrivals }))
    return
  }
  if (request.method === 'DELETE') {
    arrivals.length = 0
    seen.clear()
    calls = 0
    response.end()
    return
  }
  request.resume()
  request.once('end', () => {
    calls++
    arrivals.push(Date.now())
    const id = request.headers['workly-run-id'] ?? request.headers['x-task']
    if (typeof id === 'string') seen.add(id)
    response.setHeader('content-type', 'application/json')
    response.end('{"ok":true}')
  })
})
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1')
await once(server, 'listening')
process.stdout.write(`${(server.address() as AddressInfo).port}\n`)
