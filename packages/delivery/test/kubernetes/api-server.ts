import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { AccessRules } from './access.ts'
import { FaultList } from './fault-list.ts'
import type { ObjectStore } from './object-store.ts'
import { createObject, type DeleteOptions, deleteObject, kindOf, patchObject } from './object-writes.ts'
import { apiVersionOf, discoveryDocument, type ResourceKind } from './resource-kinds.ts'
import { matches } from './selector.ts'
import { selfSigned } from './self-signed.ts'
import { type Json, Refusal, type StoredObject } from './stored-object.ts'
import { WatchHub } from './watch-hub.ts'

export type LogReader = (pod: StoredObject, query: URLSearchParams) => Promise<Buffer>

interface Target {
  kind: ResourceKind
  namespace: string | undefined
  name: string | undefined
  subresource: string | undefined
}

/** `/api/v1/…` and `/apis/<group>/v1/…`, with a namespace or without. */
function targetOf(path: string): Target {
  const [, group = '', rest = ''] = /^\/(?:api|apis\/([^/]+))\/v1\/(.+)$/.exec(path) ?? []
  const parts = rest.split('/')
  const inNamespace = parts[0] === 'namespaces' && parts.length > 2 && parts[2] !== 'finalize'
  const [plural = '', name, subresource] = inNamespace ? parts.slice(2) : parts
  const kind = kindOf(plural)
  if (kind.group !== group)
    throw new Refusal(404, 'NotFound', 'the server could not find the requested resource')
  return { kind, namespace: inNamespace ? parts[1] : undefined, name, subresource }
}

function verbOf(method: string, { name }: Target, query: URLSearchParams): string {
  if (method === 'GET') return name !== undefined ? 'get' : query.has('watch') ? 'watch' : 'list'
  return { POST: 'create', PATCH: 'patch', PUT: 'update', DELETE: 'delete' }[method] ?? method
}

async function bodyOf(request: IncomingMessage): Promise<Json> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const text = Buffer.concat(chunks).toString()
  return text === '' ? {} : (JSON.parse(text) as Json)
}

/** A Kubernetes API server as far as Workly and kubectl use one, over TLS on loopback. */
export class ApiServer {
  readonly faults = new FaultList()
  readonly access: AccessRules
  readonly watches: WatchHub
  /** Every request, as `METHOD path`. */
  readonly requests: string[] = []
  readonly #store: ObjectStore
  readonly #readLog: LogReader
  /** What the server shows, its own authority. */
  readonly certificate = selfSigned()
  readonly #sockets = new Set<Duplex>()
  #server: Server | null = null
  #port = 0

  constructor(store: ObjectStore, options: { adminToken: string; bookmarkMs: number; readLog: LogReader }) {
    this.#store = store
    this.#readLog = options.readLog
    this.access = new AccessRules(options.adminToken)
    this.watches = new WatchHub(store, options.bookmarkMs)
  }

  get url(): string {
    return `https://127.0.0.1:${this.#port}`
  }

  /** Listens, after a `stop` on the same port again. */
  async start(): Promise<void> {
    const server = createServer(this.certificate, (request, response) => void this.#answer(request, response))
    server.on('connection', socket => {
      this.#sockets.add(socket)
      socket.on('close', () => this.#sockets.delete(socket))
    })
    await new Promise<void>((resolve, reject) => {
      server.on('error', reject)
      server.listen(this.#port, '127.0.0.1', resolve)
    })
    this.#port = (server.address() as AddressInfo).port
    this.#server = server
  }

  /** As a kill: nobody listens, every connection is broken. */
  async stop(): Promise<void> {
    const server = this.#server
    this.#server = null
    if (server === null) return
    const closed = new Promise(resolve => server.close(resolve))
    for (const socket of this.#sockets) socket.destroy()
    await closed
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', this.url)
    this.requests.push(`${request.method} ${url.pathname}`)
    try {
      if (this.#stumbles(request, response, url)) return
      const document = discoveryDocument(url.pathname)
      if (document !== null) {
        send(response, 200, document)
        return
      }
      await this.#serve(request, response, url)
    } catch (error) {
      const refusal = error instanceof Refusal ? error : new Refusal(500, 'InternalError', String(error))
      if (response.headersSent) response.destroy()
      else send(response, refusal.code, refusal.body(), refusal.headers)
    }
  }

  /** @returns whether the request has its answer. @throws Refusal that was ordered */
  #stumbles(request: IncomingMessage, response: ServerResponse, url: URL): boolean {
    const fault = this.faults.take(request, url)
    if (fault === null) return false
    if ('status' in fault) {
      const { status, reason, message = `ordered by the test: ${reason}`, headers } = fault
      throw new Refusal(status, reason, message, headers)
    }
    if ('garbage' in fault) {
      response.writeHead(200, { 'content-type': 'application/json' }).end(fault.garbage)
      return true
    }
    breakOff(response, fault.breaks === 'in the answer')
    return false
  }

  async #serve(
    request: IncomingMessage,
    response: ServerResponse,
    { pathname, searchParams }: URL,
  ): Promise<void> {
    const target = targetOf(pathname)
    const { kind, namespace, name, subresource } = target
    const resource = subresource === undefined ? kind.plural : `${kind.plural}/${subresource}`
    const verb = verbOf(request.method ?? 'GET', target, searchParams)
    this.access.check(request.headers.authorization, { verb, group: kind.group, resource })
    const body = await bodyOf(request)
    if (verb === 'watch') this.watches.open({ kind, namespace, query: searchParams }, response)
    else if (verb === 'list') send(response, 200, this.#list(target, searchParams))
    else if (verb === 'create') {
      send(response, 201, createObject(this.#store, kind, namespace, body as unknown as StoredObject))
    } else if (name === undefined) throw new Refusal(405, 'MethodNotAllowed', 'not allowed on a collection')
    else if (subresource === 'log') {
      const log = await this.#readLog(this.#store.get(kind, namespace, name), searchParams)
      response.writeHead(200, { 'content-type': 'text/plain' }).end(log)
    } else if (verb === 'get') send(response, 200, this.#store.get(kind, namespace, name))
    else if (verb === 'delete') {
      const options = { ...Object.fromEntries(searchParams), ...(body as object) } as DeleteOptions
      send(response, 200, deleteObject(this.#store, kind, { namespace, name }, options))
    } else if (verb === 'patch') {
      const isApply = `${request.headers['content-type']}`.startsWith('application/apply-patch')
      if (isApply && !searchParams.has('fieldManager')) {
        throw new Refusal(400, 'BadRequest', 'fieldManager is required for apply patch')
      }
      if (this.#store.find(kind, namespace, name) === null) {
        // An apply that makes something needs the right to.
        this.access.check(request.headers.authorization, { verb: 'create', group: kind.group, resource })
      }
      const { created, object } = patchObject(this.#store, kind, { namespace, name }, { body, isApply })
      send(response, created ? 201 : 200, object)
    } else throw new Refusal(405, 'MethodNotAllowed', `the server does not allow ${request.method} here`)
  }

  #list({ kind, namespace }: Target, query: URLSearchParams): object {
    const all = this.#store.list(kind, namespace).filter(object => matches(object, query))
    const [version = this.#store.version, from = 0] = (query.get('continue') ?? '')
      .split('.')
      .flatMap(text => (text === '' ? [] : Number(text)))
    if (version < this.#store.oldest) {
      throw new Refusal(410, 'Expired', 'The provided continue parameter is too old')
    }
    const limit = Number(query.get('limit') ?? '0') || Number.POSITIVE_INFINITY
    const items = all.slice(from, from + limit)
    const more = from + limit < all.length ? { continue: `${version}.${from + limit}` } : {}
    return {
      kind: `${kind.kind}List`,
      apiVersion: apiVersionOf(kind),
      metadata: { resourceVersion: String(version), ...more },
      items,
    }
  }
}

/** Lets half of what is to be the last of an answer through, or nothing of it, and breaks the connection. */
function breakOff(response: ServerResponse, isHalf: boolean): void {
  response.end = (last?: unknown) => {
    const bytes = Buffer.from(typeof last === 'string' || Buffer.isBuffer(last) ? last : '')
    if (isHalf) response.write(bytes.subarray(0, Math.ceil(bytes.length / 2)), () => response.destroy())
    else response.destroy()
    return response
  }
}

function send(
  response: ServerResponse,
  status: number,
  body: object,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { ...headers, 'content-type': 'application/json' }).end(JSON.stringify(body))
}
