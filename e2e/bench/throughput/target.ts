import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/**
 * The customer's endpoint as a process of its own, the same for all sides: it answers every POST at once (those to
 * `/held` when it is told to forget) and keeps the time of each arrival. `GET /` tells what has come, `HEAD /` how many,
 * with `x-at-least` as soon as there are so many, `DELETE /` forgets it. Its first line is its port.
 */

const arrivals: number[] = []
const seen = new Set<string>()
let calls = 0
const held: ServerResponse[] = []
let waiters: { atLeast: number; tell: () => void }[] = []

const server = createServer((request, response) => {
  if (request.method === 'HEAD') {
    const tell = () => {
      response.setHeader('x-calls', String(calls))
      response.end()
    }
    const atLeast = Number(request.headers['x-at-least'] ?? 0)
    if (calls >= atLeast) tell()
    else waiters.push({ atLeast, tell })
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
    for (const one of held.splice(0)) answer(one)
    response.end()
    return
  }
  request.resume()
  request.once('end', () => {
    calls++
    arrivals.push(Date.now())
    const id = request.headers['workly-run-id'] ?? request.headers['x-task']
    if (typeof id === 'string') seen.add(id)
    if (request.url === '/held') held.push(response)
    else answer(response)
    for (const { atLeast, tell } of waiters) if (calls >= atLeast) tell()
    waiters = waiters.filter(({ atLeast }) => calls < atLeast)
  })
})

function answer(response: ServerResponse): void {
  response.setHeader('content-type', 'application/json')
  response.end('{"ok":true}')
}

server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1')
await once(server, 'listening')
process.stdout.write(`${(server.address() as AddressInfo).port}\n`)
