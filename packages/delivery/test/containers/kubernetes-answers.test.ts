import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { ImageExecutor } from '../../src/image.ts'
import type { FaultTarget, RefusalFault } from '../kubernetes/fault-list.ts'
import { kindOf } from '../kubernetes/object-writes.ts'
import type { StoredObject } from '../kubernetes/stored-object.ts'
import { CallbackTarget } from './callback-target.ts'
import { never, script } from './harness.ts'
import { type KubernetesHarness, kubernetesHarness } from './kubernetes-harness.ts'
import { runOnce } from './scenarios.ts'

const WATCH = /watch=true/
const LIST = /^(?!.*watch=true)/
const JOB = /\/jobs\/[^/]+$/

/** Everything that Workly asks of a cluster. */
const REQUESTS = {
  'GET a namespace': { method: 'GET', path: /^\/api\/v1\/namespaces\/[^/]+$/ },
  'PATCH a namespace': { method: 'PATCH', path: /^\/api\/v1\/namespaces\/[^/]+$/ },
  'PATCH a network policy': { method: 'PATCH', path: /\/networkpolicies\/workly$/ },
  'GET a claim': { method: 'GET', path: /\/persistentvolumeclaims\/data$/ },
  'POST a claim': { method: 'POST', path: /\/persistentvolumeclaims$/ },
  'POST a Job': { method: 'POST', path: /\/jobs$/ },
  'GET a Job': { method: 'GET', path: JOB },
  'list Jobs': { method: 'GET', path: /^\/apis\/batch\/v1\/jobs$/, query: LIST },
  'watch Jobs': { method: 'GET', path: /^\/apis\/batch\/v1\/jobs$/, query: WATCH },
  'list pods': { method: 'GET', path: /^\/api\/v1\/pods$/, query: LIST },
  'watch pods': { method: 'GET', path: /^\/api\/v1\/pods$/, query: WATCH },
  'list the pods of a Job': { method: 'GET', path: /\/namespaces\/[^/]+\/pods$/ },
  'GET a log': { method: 'GET', path: /\/log$/ },
  'DELETE a Job': { method: 'DELETE', path: JOB },
} as const satisfies Record<string, FaultTarget>

type Request = keyof typeof REQUESTS
const EVERY = Object.keys(REQUESTS) as Request[]
const OF_START = EVERY.slice(0, 6)
const RAN = 'wget -qO- $callbackUri'
const LETS_STOP = 'trap "exit 0" TERM; sleep 60 & wait'
const LONG = { timeout: 90_000 }
const FORBIDDEN = { status: 403, reason: 'Forbidden', message: 'User "w" cannot do resource "x"' }
const BUSY = { status: 503, reason: 'ServiceUnavailable' }

describe('a Kubernetes API server that gives wrong answers', () => {
  let harness: KubernetesHarness
  let target: CallbackTarget
  let executor: ImageExecutor

  beforeAll(async () => {
    harness = await kubernetesHarness()
    target = await CallbackTarget.open()
    executor = harness.executor()
  })
  afterEach(() => harness.cluster.server.faults.clear())
  afterAll(async () => {
    await executor?.close()
    await target?.close()
    await harness?.close()
  })

  // Each with a cluster of its own, since most of it is waiting.
  it.concurrent.each<[string, object, Request[]]>([
    // Where a Job is looked for, this answer says that it was deleted.
    ['404', { status: 404, reason: 'NotFound' }, EVERY.filter(request => request !== 'GET a Job')],
    ['409', { status: 409, reason: 'Conflict' }, EVERY],
    ['410', { status: 410, reason: 'Expired' }, EVERY],
    ['429', { status: 429, reason: 'TooManyRequests', headers: { 'retry-after': '1' } }, EVERY],
    ['500', { status: 500, reason: 'InternalError' }, EVERY],
    ['503', BUSY, EVERY],
    ['504', { status: 504, reason: 'Timeout' }, EVERY],
    ['an answer cut in the middle', { breaks: 'in the answer' }, EVERY],
    ['a connection that breaks when it is done', { breaks: 'before the answer' }, EVERY],
    [
      'what is no JSON',
      { garbage: '<html>welcome</html>' },
      EVERY.filter(request => request !== 'GET a log'),
    ],
    [
      'JSON of something else',
      { garbage: '{"welcome":true}' },
      EVERY.filter(request => request !== 'GET a log'),
    ],
    ['null', { garbage: 'null' }, EVERY.filter(request => request !== 'GET a log')],
  ])('%s to each request once loses nothing, and starts nothing twice', LONG, async (_, answer, requests) => {
    const own = await kubernetesHarness()
    const through = own.executor()
    const { faults } = own.cluster.server
    for (const request of requests) faults.add({ ...REQUESTS[request], ...(answer as RefusalFault) })
    const spec = script(target, RAN)
    const { ref, ...started } = await through.start(spec, never)
    expect(started).toMatchObject({ started: true })
    expect(await through.wait(ref, { signal: never })).toMatchObject({ class: 'ok' })
    expect(target.count(spec.attemptId)).toBe(1)
    expect(await through.list(never)).toMatchObject([{ attemptId: spec.attemptId }])
    await through.remove(ref, never)
    expect(await own.exists(ref)).toBe(false)
    expect(faults.met).toBeGreaterThanOrEqual(OF_START.length)
    await through.close()
    await own.close()
  })

  it.each(
    OF_START.flatMap(request =>
      [
        [401, 'Unauthorized', /Check the credentials in KUBECONFIG/],
        [403, 'Forbidden', /Give the workers the rights of the ClusterRole/],
        [422, 'Invalid', /Invalid/],
      ].map(([status, reason, advice]) => ({ request, status, reason, advice }) as const),
    ),
  )('$status to "$request" fails as executor at once, refused, and is not asked again', async given => {
    const { status, reason, advice } = given as { status: number; reason: string; advice: RegExp }
    const { faults } = harness.cluster.server
    const before = faults.met
    const message = status === 403 ? FORBIDDEN.message : reason
    faults.add({ ...REQUESTS[given.request], status, reason, message, times: 9 })
    const started = await executor.start(script(target, 'true'), never)
    expect(started).toMatchObject({
      started: false,
      outcome: { class: 'executor', refused: true, message: expect.stringMatching(advice) },
    })
    expect(faults.met - before).toBe(1)
  })

  it.each(OF_START)(
    '503 to "%s" for longer than patience lasts fails as executor, to be retried',
    async request => {
      const impatient = harness.executor({ patienceMs: 400 })
      harness.cluster.server.faults.add({ ...REQUESTS[request], ...BUSY, times: 99 })
      const spec = script(target, RAN)
      expect(await impatient.start(spec, never)).toMatchObject({
        started: false,
        outcome: { class: 'executor', refused: false },
      })
      expect(target.count(spec.attemptId)).toBe(0)
      await impatient.close()
    },
  )

  it('a server that asks for a pause is given it', async () => {
    const { faults } = harness.cluster.server
    const headers = { 'retry-after': '2' }
    const spec = script(target, 'true')
    await runOnce(executor, script(target, 'true', { organizationId: spec.organizationId }))
    faults.add({ ...REQUESTS['POST a Job'], status: 429, reason: 'TooManyRequests', headers })
    const before = performance.now()
    const { ref } = await executor.start(spec, never)
    expect(performance.now() - before).toBeGreaterThan(1900)
    await executor.remove(ref, never)
  })

  it('a start whose answer is dropped when the Job is made finds its own, and one container runs', async () => {
    const { faults, requests } = harness.cluster.server
    const before = requests.length
    faults.add({ ...REQUESTS['POST a Job'], breaks: 'before the answer' })
    const spec = script(target, RAN)
    const { ref, ...started } = await executor.start(spec, never)
    expect(started).toEqual({ started: true, adopted: true })
    const path = `POST /apis/batch/v1/namespaces/${ref.namespace}/jobs`
    expect(requests.slice(before).filter(request => request === path)).toHaveLength(2)
    expect(await executor.wait(ref, { signal: never })).toMatchObject({ class: 'ok' })
    expect(target.count(spec.attemptId)).toBe(1)
    expect(harness.cluster.jobs(ref.namespace)).toHaveLength(1)
    await executor.remove(ref, never)
  })

  it('a namespace that is going is waited for, and made again', async () => {
    const spec = script(target, RAN)
    const { organizationId } = spec
    await runOnce(executor, script(target, 'true', { organizationId }))
    const { namespace } = executor.refFor(spec)
    const message = `jobs.batch is forbidden: unable to create new content in namespace ${namespace} because it is being terminated`
    const { faults } = harness.cluster.server
    faults.add({ ...REQUESTS['POST a Job'], status: 403, reason: 'Forbidden', message })
    harness.cluster.store.delete(kindOf('namespaces'), undefined, namespace)
    expect(await runOnce(executor, spec)).toMatchObject({ class: 'ok' })
  })

  it.each(['list Jobs', 'watch Jobs', 'list pods', 'watch pods'] as const)(
    'a wait that may not "%s" fails as executor, refused',
    async request => {
      const blind = harness.executor()
      harness.cluster.server.faults.add({ ...REQUESTS[request], ...FORBIDDEN, times: 9 })
      const { ref } = await executor.start(script(target, LETS_STOP), never)
      expect(await blind.wait(ref, { signal: never })).toMatchObject({ class: 'executor', refused: true })
      harness.cluster.server.faults.clear()
      await blind.close()
      await executor.remove(ref, never)
    },
  )

  it.each<[string, object]>([
    ['503', BUSY],
    ['410', { status: 410, reason: 'Expired' }],
    ['null', { garbage: 'null' }],
  ])(
    'a wait whose lists are answered by %s for longer than patience lasts fails as executor',
    async (_, answer) => {
      const impatient = harness.executor({ patienceMs: 400 })
      const { ref } = await executor.start(script(target, LETS_STOP), never)
      harness.cluster.server.faults.add({ ...REQUESTS['list Jobs'], ...(answer as RefusalFault), times: 99 })
      expect(await impatient.wait(ref, { signal: never })).toMatchObject({
        class: 'executor',
        refused: false,
        log: null,
      })
      harness.cluster.server.faults.clear()
      // A failure that is over is none for the next.
      const spec = script(target, RAN)
      expect(await runOnce(impatient, spec)).toMatchObject({ class: 'ok' })
      await impatient.close()
      await executor.remove(ref, never)
    },
  )

  it('a Job that is gone is seen to be, though the server stumbles when it is asked for it', async () => {
    const ref = executor.refFor(script(target, 'true'))
    harness.cluster.server.faults.add({ ...REQUESTS['GET a Job'], ...BUSY })
    expect(await executor.wait(ref, { signal: never })).toMatchObject({ class: 'evicted' })
  })

  it('a log that is refused is left out, and the end is told all the same', async () => {
    harness.cluster.server.faults.add({ ...REQUESTS['GET a log'], ...FORBIDDEN, times: 9 })
    expect(await runOnce(executor, script(target, 'exit 3'))).toMatchObject({ exitCode: 3, log: null })
  })

  it.each<[string, RefusalFault, boolean]>([
    ['refused', FORBIDDEN, true],
    ['in the way of another change for too long', { status: 409, reason: 'Conflict' }, false],
    ['away for too long', BUSY, false],
  ])('a removal that is %s says so, and can be asked for again', async (_, answer, refused) => {
    const impatient = harness.executor({ patienceMs: 400 })
    const { ref } = await executor.start(script(target, LETS_STOP), never)
    harness.cluster.server.faults.add({ ...REQUESTS['DELETE a Job'], ...answer, times: 99 })
    await expect(impatient.remove(ref, never)).rejects.toMatchObject({ name: 'ExecutorError', refused })
    harness.cluster.server.faults.clear()
    await impatient.remove(ref, never)
    expect(await harness.exists(ref)).toBe(false)
    await impatient.close()
  })

  it.each<[string, object, boolean]>([
    ['403', FORBIDDEN, true],
    ['503', BUSY, false],
    ['something else', { garbage: '{}' }, false],
  ])('a list answered by %s is none', async (_, answer, refused) => {
    const impatient = harness.executor({ patienceMs: 400 })
    harness.cluster.server.faults.add({ ...REQUESTS['list Jobs'], ...(answer as RefusalFault), times: 99 })
    await expect(impatient.list(never)).rejects.toMatchObject({ name: 'ExecutorError', refused })
    await impatient.close()
  })

  it('a long list whose page has expired is read anew, whole and without doubles', async () => {
    const own = await kubernetesHarness()
    const through = own.executor()
    const spec = script(target, LETS_STOP)
    for (let i = 0; i < 501; i++) keepFinished(own, through, `att_${String(i).padStart(26, '0')}`)
    own.cluster.server.faults.add({
      path: /\/jobs$/,
      query: /continue=/,
      status: 410,
      reason: 'Expired',
      message: 'The provided continue parameter is too old',
    })
    const found = await through.list(never)
    expect(own.cluster.server.faults.met).toBe(1)
    expect(new Set(found.map(({ attemptId }) => attemptId)).size).toBe(501)
    expect(found).toHaveLength(501)
    const impatient = own.executor({ patienceMs: 400 })
    own.cluster.server.faults.add({
      path: /\/jobs$/,
      query: /continue=/,
      status: 410,
      reason: 'Expired',
      times: 99,
    })
    await expect(impatient.list(never)).rejects.toMatchObject({ name: 'ExecutorError', refused: false })
    // So does a wait that begins with such a list.
    const { ref } = await through.start(spec, never)
    expect(await impatient.wait(ref, { signal: never })).toMatchObject({ class: 'executor', refused: false })
    own.cluster.server.faults.clear()
    await through.remove(ref, never)
    await impatient.close()
    await through.close()
    await own.close()
  })
})

/** A Job of an attempt that ended long ago, which nobody runs any more. */
function keepFinished({ cluster }: KubernetesHarness, executor: ImageExecutor, attemptId: string): void {
  const organizationId = 'org_00000000000000000000000000'
  const { namespace, name } = executor.refFor({ organizationId, attemptId })
  const labels = {
    'app.kubernetes.io/managed-by': 'workly',
    'workly/installation': 'default',
    'workly/organization': organizationId,
    'workly/run': 'run_00000000000000000000000000',
    'workly/attempt': attemptId,
  }
  const status = { conditions: [{ type: 'Complete', status: 'True' }] }
  const job = { metadata: { name, labels }, status } as unknown as StoredObject
  cluster.store.create(kindOf('jobs'), namespace, job)
}
