import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { callbackBody, WorklyError } from '@workly/core'
import { recordCallback, type Services } from '@workly/services'

/** Takes callbacks on loopback as the API does, for containers that report. */
export interface CallbackDoor {
  /** What a worker has as its public URL. */
  url: string
  close(): Promise<void>
}

export async function openCallbackDoor(services: Services): Promise<CallbackDoor> {
  const server = createServer(async (request, response) => {
    const [, , , attemptId = '', token = ''] = (request.url ?? '').split('/')
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    try {
      const body = callbackBody.parse(JSON.parse(Buffer.concat(parts).toString('utf8')))
      await recordCallback(services, attemptId, { token }, body)
      response.writeHead(204).end()
    } catch (error) {
      response.writeHead(error instanceof WorklyError ? error.status : 500).end()
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    async close() {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
}
