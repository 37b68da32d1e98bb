import type { ApiContext, ApiDeps } from '../api-env.ts'
import { openApiDocument } from '../openapi.ts'
import { apiPage, type ReferenceDocument } from '../reference/api-page.ts'
import { errorsPage } from '../reference/errors-page.ts'
import { STYLE_POLICY } from '../reference/style.ts'
import type { Page } from './health.ts'

/** `/v1/openapi.json`, and the reference made from it. Each is made at its first call and kept. */
export function reference({ version, publicUrl }: ApiDeps): Page[] {
  const document = once(() => openApiDocument({ version, publicUrl }))
  const json = once(() => JSON.stringify(document()))
  // The document's own type knows nothing of what was put in; the page reads it as the JSON it is.
  const api = once(() => apiPage(JSON.parse(json()) as ReferenceDocument))
  const errors = once(errorsPage)
  return [
    { path: '/v1/openapi.json', answer: c => send(c, '/v1/openapi.json', json(), 'application/json') },
    { path: '/docs', answer: c => send(c, '/docs', api(), 'text/html; charset=utf-8') },
    { path: '/docs/errors', answer: c => send(c, '/docs/errors', errors(), 'text/html; charset=utf-8') },
  ]
}

function send(c: ApiContext, route: string, text: string, type: string): Response {
  c.set('route', route)
  return c.body(text, 200, {
    'Content-Type': type,
    'Cache-Control': 'public, max-age=300',
    ...(type.startsWith('text/html') && { 'Content-Security-Policy': STYLE_POLICY }),
  })
}

function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}
