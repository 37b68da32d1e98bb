import Dockerode from 'dockerode'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import type { ImageExecutor } from '../../src/image.ts'
import { BOX } from '../docker-engine.ts'
import { object } from '../kubernetes/fake-cluster.ts'
import { createObject, deleteObject, kindOf } from '../kubernetes/object-writes.ts'
import type { Json } from '../kubernetes/stored-object.ts'
import { CallbackTarget } from './callback-target.ts'
import { never, newOrganization, REPORT_AND_WAIT, script } from './harness.ts'
import { type KubernetesHarness, kubernetesHarness } from './kubernetes-harness.ts'
import { runOnce } from './scenarios.ts'

const STOPS_AT_ONCE = 'trap "exit 0" TERM; wget -qO- $callbackUri; sleep 60 & wait'

describe('images in a cluster', () => {
  let harness: KubernetesHarness
  let target: CallbackTarget
  let executor: ImageExecutor

  beforeAll(async () => {
    harness = await kubernetesHarness()
    target = await CallbackTarget.open()
    executor = harness.executor()
  })
  afterAll(async () => {
    await executor?.close()
    await target?.close()
    await harness?.close()
  })

  async function withSidecar<T>(command: string, body: () => Promise<T>): Promise<T> {
    const image = `${inject('registry')}/${BOX.name}:${BOX.tag}`
    harness.cluster.controller.admission = pod => {
      const containers = pod.spec?.containers as Json[]
      const sidecar = { name: 'proxy', image, command: ['sh', '-c', command] }
      pod.spec = { ...pod.spec, containers: [sidecar, ...containers] }
    }
    return await body().finally(() => {
      harness.cluster.controller.admission = () => {}
    })
  }

  it('a sidecar that never ends keeps no run open, and is removed with it', async () => {
    await withSidecar('trap "exit 0" TERM; sleep 60 & wait', async () => {
      const good = script(target, 'echo mine')
      expect(await runOnce(executor, good)).toMatchObject({ class: 'ok', log: 'mine\n' })
      expect(await harness.exists(executor.refFor(good))).toBe(false)
      expect(await runOnce(executor, script(target, 'exit 5'))).toMatchObject({ exitCode: 5 })
    })
  })

  it('a sidecar that fails does not fail the run', async () => {
    await withSidecar('exit 9', async () => {
      const spec = script(target, REPORT_AND_WAIT)
      const { ref } = await executor.start(spec, never)
      const waiting = executor.wait(ref, { signal: never })
      await harness.cluster.until(() =>
        JSON.stringify(harness.cluster.pods(ref.namespace)).includes('"exitCode":9'),
      )
      await target.called(spec.attemptId)
      harness.cluster.controller.admission = () => {}
      await runOnce(executor, script(target, 'touch /data/go', { organizationId: spec.organizationId }))
      expect(await waiting).toMatchObject({ class: 'ok', exitCode: 0 })
      await executor.remove(ref, never)
    })
  })

  it('a pod that its node evicts fails as evicted, and says why', async () => {
    const spec = script(target, STOPS_AT_ONCE)
    const { ref } = await executor.start(spec, never)
    const waiting = executor.wait(ref, { signal: never })
    await target.called(spec.attemptId)
    const [pod] = harness.cluster.pods(ref.namespace)
    if (pod !== undefined) await harness.cluster.kubelet.evict(pod)
    const outcome = await waiting
    expect(outcome).toMatchObject({
      class: 'evicted',
      message: expect.stringContaining('low on resource: memory'),
    })
    await executor.remove(ref, never)
  })

  it.each(['Background', 'Foreground', 'Orphan'] as const)(
    'a Job deleted by someone (%s) fails as evicted, and a removal takes what was left',
    async propagationPolicy => {
      const spec = script(target, STOPS_AT_ONCE)
      const { ref } = await executor.start(spec, never)
      const waiting = executor.wait(ref, { signal: never })
      await target.called(spec.attemptId)
      deleteObject(harness.cluster.store, kindOf('jobs'), ref, { propagationPolicy })
      expect(await waiting).toMatchObject({ class: 'evicted' })
      await executor.remove(ref, never)
      expect(await harness.exists(ref)).toBe(false)
    },
  )

  it('a pod whose Job someone deleted alone is found when leaked ones are looked for, and removed', async () => {
    const spec = script(target, STOPS_AT_ONCE)
    const { ref } = await executor.start(spec, never)
    await target.called(spec.attemptId)
    deleteObject(harness.cluster.store, kindOf('jobs'), ref, { propagationPolicy: 'Orphan' })
    const found = (await executor.list(never)).filter(({ attemptId }) => attemptId === spec.attemptId)
    expect(found).toMatchObject([{ ref, runId: spec.runId, organizationId: spec.organizationId }])
    await executor.remove(ref, never)
    expect(await harness.exists(ref)).toBe(false)
    expect((await executor.list(never)).some(({ attemptId }) => attemptId === spec.attemptId)).toBe(false)
  })

  it('a removal lets the cluster take the pods along with the Job', async () => {
    const spec = script(target, STOPS_AT_ONCE)
    const { ref } = await executor.start(spec, never)
    await target.called(spec.attemptId)
    const { requests } = harness.cluster.server
    const before = requests.length
    await executor.remove(ref, never)
    const deletions = requests.slice(before).filter(request => request.startsWith('DELETE'))
    expect(deletions).toEqual([`DELETE /apis/batch/v1/namespaces/${ref.namespace}/jobs/${ref.name}`])
    expect(await harness.exists(ref)).toBe(false)
  })

  it('the log of a container that its deadline took along is kept', async () => {
    const text = 'echo before; trap "sleep 0.5; exit 0" TERM; sleep 60 & wait'
    const outcome = await runOnce(executor, script(target, text, { timeoutSeconds: 2 }))
    expect(outcome).toMatchObject({ class: 'timeout', exitCode: null, log: 'before\n' })
  })

  it('a pod that no node took until its deadline says what it waited for', async () => {
    const spec = script(target, 'true')
    await runOnce(executor, spec)
    const { namespace } = executor.refFor(spec)
    harness.cluster.store.delete(kindOf('persistentvolumeclaims'), namespace, 'data')
    const { organizationId } = spec
    const outcome = await runOnce(executor, script(target, 'true', { organizationId, timeoutSeconds: 1 }))
    expect(outcome.class).toBe('timeout')
    expect(outcome.message).toContain('persistentvolumeclaim "data" not found')
  })

  it('an image that the registry has a moment later is run', async () => {
    const docker = new Dockerode({ socketPath: inject('dockerSocket') })
    const spec = script(target, 'true', { name: 'team/late', tag: lateTag() })
    const { ref } = await executor.start(spec, never)
    const waiting = executor.wait(ref, { signal: never })
    await harness.cluster.until(() =>
      JSON.stringify(harness.cluster.pods(ref.namespace)).includes('ErrImagePull'),
    )
    const box = docker.getImage(`${inject('registry')}/${BOX.name}:${BOX.tag}`)
    await box.tag({ repo: `${inject('registry')}/team/late`, tag: spec.tag })
    expect(await waiting).toMatchObject({ class: 'ok' })
    await executor.remove(ref, never)
  })

  function lateTag(): string {
    return `t${process.pid}`
  }

  it("an organization's namespace is made with its policy, its claim and Pod Security, once", async () => {
    const organizationId = newOrganization()
    await runOnce(executor, script(target, 'true', { organizationId }))
    const requests = harness.cluster.server.requests.length
    const { namespace } = executor.refFor(script(target, 'true', { organizationId }))
    const { store } = harness.cluster
    expect(store.get(kindOf('namespaces'), undefined, namespace).metadata.labels).toMatchObject({
      'app.kubernetes.io/managed-by': 'workly',
      'workly/organization': organizationId,
      'pod-security.kubernetes.io/enforce': 'baseline',
    })
    expect(store.get(kindOf('persistentvolumeclaims'), namespace, 'data').spec).toMatchObject({
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: '10Gi' } },
    })
    const egress = JSON.stringify(store.get(kindOf('networkpolicies'), namespace, 'workly').spec?.egress)
    // The tests' callbacks go to a port of loopback.
    expect(egress).toContain('"127.0.0.1/32"')
    await runOnce(executor, script(target, 'true', { organizationId }))
    expect(harness.cluster.server.requests.slice(requests).some(request => request.startsWith('PATCH'))).toBe(
      false,
    )
  })

  it("a namespace of the name that is someone else's is left alone", async () => {
    const spec = script(target, 'true')
    const { namespace } = executor.refFor(spec)
    createObject(harness.cluster.store, kindOf('namespaces'), undefined, object('Namespace', namespace))
    const started = await executor.start(spec, never)
    expect(started).toMatchObject({ started: false, outcome: { class: 'executor', refused: true } })
    expect(harness.cluster.jobs(namespace)).toEqual([])
    expect(harness.cluster.store.find(kindOf('networkpolicies'), namespace, 'workly')).toBeNull()
  })

  it("a callback host that can't be looked up is waited for, not let through blindly", async () => {
    const impatient = harness.executor({ patienceMs: 100 })
    const spec = script(target, 'true', { callbackUri: 'https://nowhere.invalid/cb' })
    expect(await impatient.start(spec, never)).toMatchObject({
      outcome: { class: 'executor', refused: false, message: expect.stringContaining('nowhere.invalid') },
    })
    await impatient.close()
  })
})
