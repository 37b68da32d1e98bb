import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { ContainerOutcome, ImageExecutor, ImageSpec } from '../../src/image.ts'
import { KubeApi } from '../../src/kubernetes/api.ts'
import { listPages } from '../../src/kubernetes/list-pages.ts'
import { ADMIN_TOKEN, object } from '../kubernetes/fake-cluster.ts'
import { createObject, kindOf } from '../kubernetes/object-writes.ts'
import { CallbackTarget } from './callback-target.ts'
import { never, REPORT_AND_WAIT, script } from './harness.ts'
import { type KubernetesHarness, kubernetesHarness } from './kubernetes-harness.ts'
import { runOnce } from './scenarios.ts'

describe('a Kubernetes API server that refuses, stumbles or loses watches', () => {
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

  it('a namespace that vanished is made again', async () => {
    const spec = script(target, 'true')
    await runOnce(executor, spec)
    const { namespace } = executor.refFor(spec)
    harness.cluster.store.delete(kindOf('namespaces'), undefined, namespace)
    const { organizationId } = spec
    expect(await runOnce(executor, script(target, 'true', { organizationId }))).toMatchObject({ class: 'ok' })
  })

  it('rights that are missing are told by name', async () => {
    harness.cluster.server.access.grant(
      'poor',
      'rules: [{apiGroups: [""], resources: [namespaces], verbs: [get]}]',
    )
    const poor = harness.executor({ config: harness.cluster.config('poor') })
    const started = await poor.start(script(target, 'true'), never)
    expect(started).toMatchObject({ outcome: { class: 'executor', refused: true } })
    expect(started).toMatchObject({ outcome: { message: expect.stringMatching(/cannot patch.*namespaces/) } })
    await poor.close()
  })

  it('a wait whose watch is forbidden fails as executor, refused', async () => {
    const role = `rules:
      - {apiGroups: [batch], resources: [jobs], verbs: [get, list, watch]}
      - {apiGroups: [""], resources: [pods], verbs: [get]}`
    harness.cluster.server.access.grant('blind', role)
    const blind = harness.executor({ config: harness.cluster.config('blind') })
    const spec = script(target, REPORT_AND_WAIT)
    const { ref } = await executor.start(spec, never)
    expect(await blind.wait(ref, { signal: never })).toMatchObject({ class: 'executor', refused: true })
    await blind.close()
    await letGo(spec)
    await executor.remove(ref, never)
  })

  async function letGo(spec: ImageSpec): Promise<void> {
    const { organizationId } = spec
    await runOnce(executor, script(target, 'touch /data/go', { organizationId }))
  }

  /** Meets a container that runs with a fault, then lets it end. */
  async function throughFault(fault: () => void, watcher: ImageExecutor): Promise<ContainerOutcome> {
    const spec = script(target, REPORT_AND_WAIT)
    const { ref } = await watcher.start(spec, never)
    const waiting = watcher.wait(ref, { signal: never })
    await target.called(spec.attemptId)
    await harness.cluster.until(() => harness.cluster.server.watches.count >= 2)
    fault()
    await letGo(spec)
    const outcome = await waiting
    await watcher.remove(ref, never)
    return outcome
  }

  it.each([
    ['ended by the server', () => harness.cluster.server.watches.endAll()],
    ['broken off', () => harness.cluster.server.watches.breakAll()],
    ['expired (410)', () => harness.cluster.server.watches.expireAll()],
    [
      'ended after its history was compacted',
      () => {
        harness.cluster.store.compact()
        harness.cluster.server.watches.endAll()
      },
    ],
    [
      'answered by 500 at the next list',
      () => {
        harness.cluster.server.faults.add({
          method: 'GET',
          path: /^\/api\/v1\/pods$/,
          status: 500,
          reason: 'InternalError',
        })
        harness.cluster.server.watches.breakAll()
      },
    ],
  ])('a watch that is %s is followed by another, and the end is seen', async (_, fault) => {
    expect(await throughFault(fault, executor)).toMatchObject({ class: 'ok', exitCode: 0 })
  })

  it('a watch that says nothing any more is given up, and the end is seen', async () => {
    const watcher = harness.executor({ stallMs: 1500 })
    const { watches } = harness.cluster.server
    const silence = () => {
      watches.silent = true
    }
    const spec = script(target, REPORT_AND_WAIT)
    const { ref } = await watcher.start(spec, never)
    const waiting = watcher.wait(ref, { signal: never })
    await target.called(spec.attemptId)
    silence()
    // Everything but the watches answers: the end is only seen by a new list.
    harness.cluster.store.update(kindOf('jobs'), ref.namespace, ref.name, job => {
      const condition = { type: 'SuccessCriteriaMet', status: 'True', reason: 'CompletionsReached' }
      job.status = { ...job.status, conditions: [condition] }
    })
    expect(await waiting).toMatchObject({ class: 'ok' })
    watches.silent = false
    watches.breakAll()
    await letGo(spec)
    await watcher.remove(ref, never)
    await watcher.close()
  })

  it('a long list is read page by page, with the version that a watch goes on from', async () => {
    const { store, config } = { store: harness.cluster.store, config: harness.cluster.config(ADMIN_TOKEN) }
    for (let i = 0; i < 1001; i++) {
      createObject(store, kindOf('configmaps'), 'default', object('ConfigMap', `page-${i}`))
    }
    const api = new KubeApi(config, 30_000)
    const { items, version } = await listPages(api, '/api/v1/configmaps', '', never)
    expect(items).toHaveLength(1001)
    expect(version).toBe(String(store.version))
  })
})
