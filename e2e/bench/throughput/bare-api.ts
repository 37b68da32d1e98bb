import type { AddressInfo } from 'node:net'
import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { Pool } from 'pg'

/**
 * The other side of a GET, as a process of its own: a statement of the environment through Hono and pg, with nothing
 * around it. Its first line is its port.
 */

const { DATABASE_URL, STATEMENT, SCOPE } = process.env
if (!DATABASE_URL || !STATEMENT || !SCOPE) throw new Error('DATABASE_URL, STATEMENT and SCOPE must be set')
const scope: string[] = JSON.parse(SCOPE)
const pool = new Pool({ connectionString: DATABASE_URL, max: 10 })
const app = new Hono()
app.get('/jobs/:name', async c => {
  const values = [...scope, c.req.param('name')]
  const { rows } = await pool.query({ name: 'job', text: STATEMENT, values })
  const [row] = rows
  return row ? c.json(row) : c.notFound()
})
const server = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, () => {
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`)
})
