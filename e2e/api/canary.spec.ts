import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { createSql } from '@workly/db'
import { groundOf } from '../harness/ground.ts'
import { BOX, expect, test } from '../harness/images.ts'
import { formsIn, leaksInDatabase, leaksInFiles, unsearchedColumns } from '../harness/leaks.ts'
import { ProductionProcess } from '../harness/production-process.ts'
import { SecondWorker } from '../harness/second-worker.ts'
import type { Call, Reply } from '../harness/target.ts'
import { Visitor } from '../harness/visitor.ts'

test.use({ stackEnv: { CANARY: 'alone', WORKLY_LOG_LEVEL: 'trace' } })

/** Words that lie nowhere by chance; one that no encoder leaves as it is. */
const word = (what: string) => `canary-${what}-${randomBytes(9).toString('hex')}`
const HEADER = `${word('header')} "\\/+=&<é>`
const STEP = word('step')
const ENV = word('env')
const TEST = word('test')
/** No secret of anything: the search is tried with it. */
const CONTROL = `${word('control')} "\\/+=&<é>`

/** Sends everything back that came, in every way a target could. */
function echo({ headers, path }: Call): Reply {
  const secret = String(headers['x-secret'] ?? headers.authorization ?? '')
  const forms = [
    secret,
    JSON.stringify({ secret }),
    encodeURIComponent(secret),
    Buffer.from(secret, 'latin1').toString('base64'),
    Buffer.from(secret, 'utf8').toString('base64url'),
    String(headers.callback ?? ''),
  ]
  return {
    status: path.includes('fails') ? 500 : 200,
    headers: {
      'content-type': 'text/plain',
      'x-echo': Buffer.from(encodeURIComponent(secret)).toString(),
      'x-again': secret,
      'x-callback': String(headers.callback ?? 'none'),
      'set-cookie': `s=${encodeURIComponent(secret)}`,
    },
    body: forms.join('\n'),
  }
}

/** A container that writes what it was given, in every way it could, and fails with it. */
function tellingScript(told: string): string {
  return [
    'echo "started as $TOKEN"',
    'echo "$TOKEN" | base64',
    'echo "{\\"token\\": \\"$TOKEN\\"}" >&2',
    'echo "report to $callbackUri"',
    `wget -qO- --post-data "$callbackUri" ${told}`,
    'echo "ends as $TOKEN" >&2',
    'exit 3',
  ].join('; ')
}

/** A target that breaks HTTP, with what it was sent in the broken place. */
async function brokenTarget(): Promise<{ url: string; close(): void }> {
  const server = createServer(socket => {
    socket.on('error', () => undefined)
    socket.once('data', bytes => {
      const secret = /x-secret: (.*)\r\n/i.exec(bytes.toString('latin1'))?.[1] ?? ''
      socket.end(Buffer.from(`HTTP/1.1 200 ${secret}\r\n${secret}\0: ${secret}\r\n\r\n${secret}`, 'latin1'))
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, close: () => server.close() }
}

test('secrets come to light nowhere: no answer, page, log line, metric, file or column holds one', async ({
  stack,
  engine,
  api,
  target,
}) => {
  test.setTimeout(300_000)
  const said: Record<string, string> = {}
  const { email, password, signingSecret, apiKey } = stack.credentials
  target.reply = echo
  const broken = await brokenTarget()
  const worker = await SecondWorker.start(stack, engine.env)
  const production = await ProductionProcess.start('api', stack, 'https://workly.example.com')
  const visitor = new Visitor(stack.url)
  await visitor.signIn(email, password)
  const session = visitor.cookies.get('workly-session') ?? ''
  expect(session).not.toBe('')
  const secrets = [HEADER, STEP, ENV, TEST]
  try {
    const headers = { 'x-secret': { secret: HEADER }, 'x-plain': 'seen' }
    const common = { cron: '0 3 1 1 *', max_attempts: 1 }
    await api.putJob('echoes', { ...common, url: target.url('/ok'), headers })
    await api.putJob('fails', {
      ...common,
      url: target.url('/fails'),
      headers,
      max_attempts: 2,
      min_backoff_seconds: 0,
    })
    await api.putJob('breaks', { ...common, url: broken.url, headers })
    await api.putJob('reports', {
      ...common,
      url: target.url('/reports'),
      headers,
      response: { callback: { max_wait_seconds: 600 } },
    })
    await api.putJob('steps', {
      ...common,
      steps: [
        { id: 'one', url: target.url('/one'), headers: { authorization: { secret: STEP } } },
        { id: 'two', url: target.url('/fails-too'), headers },
      ],
    })
    await api.putJob('contained', {
      ...common,
      image: { ...BOX, env: { TOKEN: { secret: ENV }, SCRIPT: tellingScript(target.url('/told')) } },
    })
    const names = ['echoes', 'fails', 'breaks', 'steps']
    const runs = await Promise.all(
      names.map(async name => (await api.ended((await api.trigger(name)).id, 60_000)).id),
    )

    // What a container writes, how it ends and why; the token of its callback is a secret too.
    const contained = await api.ended((await api.trigger('contained')).id, 60_000)
    runs.push(contained.id)
    names.push('contained')
    const [attempt] = contained.attempts
    expect(contained.error).toMatchObject({ class: 'container_exit' })
    expect(attempt?.container?.exit_code).toBe(3)
    expect(attempt?.container?.log).toContain('started as ••••')
    const toldUri = target.to('/told')[0]?.body ?? ''
    expect(toldUri).toContain('/v1/callbacks/att_')
    secrets.push(toldUri.split('/').at(-1) ?? '')

    // The secret has come to the target, or what follows would prove nothing.
    const [first] = target.to('/ok')
    expect(Buffer.from(String(first?.headers['x-secret']), 'latin1').toString('latin1')).toBe(HEADER)
    expect(target.to('/one')[0]?.headers.authorization).toBe(STEP)

    // A callback with its token, and the secret in what it says.
    const waiting = await api.trigger('reports')
    const [asked] = await target.received(1, '/reports')
    const callback = new URL(String(asked?.headers.callback))
    const token = callback.pathname.split('/').at(-1) ?? ''
    secrets.push(token)
    for (const at of [stack.url, production.url]) {
      await fetch(`${at}${callback.pathname.slice(0, -3)}xyz`, { method: 'POST', body: '{"result":"OK"}' })
    }
    const report = { result: 'OK', description: `done with ${HEADER}` }
    expect(
      (await fetch(`${stack.url}${callback.pathname}`, { method: 'POST', body: JSON.stringify(report) }))
        .status,
    ).toBe(204)
    runs.push((await api.ended(waiting.id)).id)

    // Test calls, answered and kept for their key; input that is refused with a secret in it.
    for (const body of [
      { url: target.url('/ok'), headers: { 'x-secret': { secret: TEST } } },
      { job: 'echoes', url: target.url('/ok'), headers: { 'x-secret': { secret: '••••' } } },
      { url: broken.url, headers: { 'x-secret': { secret: TEST } } },
    ]) {
      const answer = await fetch(`${stack.url}/v1/jobs/test`, {
        method: 'POST',
        headers: { authorization: `Bearer ${apiKey}`, 'idempotency-key': randomBytes(8).toString('hex') },
        body: JSON.stringify(body),
      })
      said[`test call ${JSON.stringify(body).slice(0, 40)}`] = await answer.text()
    }
    for (const settings of [
      { ...common, url: target.url('/'), headers: { 'x-secret': { secret: HEADER, more: 1 } } },
      { ...common, url: target.url('/'), headers: { 'x-secret': { secret: `${HEADER}\n` } } },
      { ...common, url: target.url('/'), headers: { 'x-secret': { secret: [HEADER] } } },
      { ...common, url: 'ftp://x', headers },
    ]) {
      const refused = await api.call('PUT', '/v1/jobs/refused', settings)
      expect(refused.status).toBe(400)
      said[`refused ${JSON.stringify(settings).length}`] = JSON.stringify(refused.body)
    }
    // Changed, kept, and changed back: what the audit log keeps before and after.
    await api.call('PATCH', '/v1/jobs/echoes', {
      headers: { 'x-secret': { secret: '••••' }, 'x-new': { secret: STEP } },
    })
    await api.call('PATCH', '/v1/jobs/echoes', { headers })

    // Everything that reads, as the API itself lists it.
    const document = (await api.call<{ paths: Record<string, object> }>('GET', '/v1/openapi.json')).body
    const reads = Object.entries(document.paths).flatMap(([path, calls]) => ('get' in calls ? [path] : []))
    const parts: Record<string, string[]> = {
      name: [...names, 'reports'],
      id: runs,
      organizationId: ['demo'],
    }
    for (const path of ['/v1/metrics', ...reads]) {
      const [, part = ''] = /\{(\w+)\}/.exec(path) ?? []
      for (const value of part === '' ? [''] : (parts[part] ?? [])) {
        const address = path.replace(`{${part}}`, value)
        const answer = await api.call('GET', address)
        expect(answer.status, address).toBe(200)
        said[address] = JSON.stringify(answer.body)
      }
    }
    expect(Object.keys(said).length).toBeGreaterThan(30)
    const operatorToken = /^WORKLY_OPERATOR_TOKEN=(.*)$/m.exec(
      readFileSync(join(stack.dataDir, 'keys'), 'utf8'),
    )?.[1]
    const metrics = await fetch(`${stack.url}/metrics`, {
      headers: { authorization: `Bearer ${operatorToken}` },
    })
    expect(metrics.status).toBe(200)
    said['/metrics'] = await metrics.text()
    const place = { organization: 'demo', project: 'demo' }
    for (const path of [
      '/demo/demo/jobs',
      '/demo/demo/runs',
      ...names.flatMap(name => [`/demo/demo/jobs/${name}`, `/demo/demo/jobs/${name}/edit`]),
      ...runs.map(id => `/demo/demo/runs/${id}`),
    ]) {
      const page = await visitor.send('GET', path)
      expect(page.status, path).toBe(200)
      said[path] = await page.text()
    }
    for (const name of names)
      said[`settings of ${name}`] = await (await visitor.query('job.settings', { ...place, name })).text()

    for (const [where, text] of Object.entries(said)) {
      for (const secret of secrets) expect(formsIn(text, secret), where).toEqual([])
    }
    // What is shown elsewhere is masked, not left out: the reader sees that something was there.
    expect(said['/v1/jobs/echoes']).toContain('••••')
    expect(said[`/v1/runs/${runs[0]}`]).toContain('x-again')

    const all = [...secrets, password, signingSecret, session, apiKey.slice(-43)]
    const { databaseUrl } = groundOf(stack)
    const sql = createSql(databaseUrl, { max: 1, name: 'canary' })
    try {
      expect(await unsearchedColumns(sql)).toEqual([])
      expect(await leaksInDatabase(sql, all)).toEqual([])
      // The search finds what there is to be found, whatever type of column holds it.
      await sql`create schema control`
      await sql`create table control.kept (a text, b jsonb, c bytea, d text[])`
      for (const kept of [
        { a: CONTROL },
        { b: sql.json({ [CONTROL]: 1 }) },
        { c: Buffer.from(CONTROL) },
        { d: [CONTROL] },
      ]) {
        await sql`truncate control.kept`
        await sql`insert into control.kept ${sql(kept)}`
        const found = await leaksInDatabase(sql, [CONTROL])
        expect(found.map(line => line.split(':')[0])).toEqual(['control.kept'])
      }
      await sql`drop schema control cascade`
      await sql`checkpoint`
    } finally {
      await sql.end({ timeout: 5 })
    }
    const kept = ['credentials', 'keys']
    expect(leaksInFiles(stack.dataDir, all, kept)).toEqual([])
    for (const secret of secrets) {
      for (const output of [stack.output, worker.output, production.output]) {
        expect(formsIn(output, secret)).toEqual([])
      }
    }
    // The log has been written to, at its most talkative.
    expect(readFileSync(join(stack.dataDir, 'workly.log'), 'utf8')).toContain('"level":')
    expect(production.output).toContain('/v1/callbacks/{attempt}/{token}')
  } finally {
    broken.close()
    await worker.stop()
    await production.stop()
  }
})
