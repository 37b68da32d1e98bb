import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { BOX } from '../docker-engine.ts'
import { ADMIN_TOKEN } from '../kubernetes/fake-cluster.ts'
import { CallbackTarget } from './callback-target.ts'
import { never, REPORT_AND_WAIT, script } from './harness.ts'
import { Kubectl } from './kubectl.ts'
import { type KubernetesHarness, kubernetesHarness } from './kubernetes-harness.ts'
import { runOnce } from './scenarios.ts'

function job(name: string, text: string): object {
  const image = `${inject('registry')}/${BOX.name}:${BOX.tag}`
  const container = { name: 'main', image, command: ['sh', '-c', text] }
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name, namespace: 'default' },
    spec: { backoffLimit: 0, template: { spec: { restartPolicy: 'Never', containers: [container] } } },
  }
}

describe('the fake cluster under the real kubectl', () => {
  let harness: KubernetesHarness
  let kubectl: Kubectl

  beforeAll(async () => {
    harness = await kubernetesHarness()
    const { url, certificate } = harness.cluster.server
    kubectl = await Kubectl.unpack(url, certificate.cert, ADMIN_TOKEN)
  })
  afterAll(async () => {
    await kubectl?.remove()
    await harness?.close()
  })

  it('creates a Job, waits for its success, reads its log and deletes it with its pods', async () => {
    expect(await kubectl.file(job('good', 'echo hello'), 'create', '--validate=false')).toBe(
      'job.batch/good created\n',
    )
    expect(await kubectl.run('wait', '--for=condition=complete', 'job/good', '--timeout=30s')).toContain(
      'condition met',
    )
    expect(await kubectl.run('logs', 'job/good')).toBe('hello\n')
    const got = JSON.parse(await kubectl.run('get', 'job', 'good', '-o', 'json'))
    expect(got.status.conditions.map((condition: { type: string }) => condition.type)).toEqual([
      'SuccessCriteriaMet',
      'Complete',
    ])
    expect(await kubectl.run('delete', 'job', 'good')).toContain('"good" deleted')
    await harness.cluster.until(() => harness.cluster.pods('default').length === 0)
    await expect(kubectl.run('get', 'job', 'good')).rejects.toThrow('NotFound')
  })

  it('sees a failure as Failed, and a second Job of the name refused', async () => {
    await kubectl.file(job('bad', 'exit 3'), 'create', '--validate=false')
    await expect(kubectl.file(job('bad', ''), 'create', '--validate=false')).rejects.toThrow('AlreadyExists')
    expect(await kubectl.run('wait', '--for=condition=failed', 'job/bad', '--timeout=30s')).toContain(
      'condition met',
    )
    const exitCode = '-o=jsonpath={.items[0].status.containerStatuses[0].state.terminated.exitCode}'
    expect(await kubectl.run('get', 'pods', '-l', 'job-name=bad', exitCode)).toBe('3')
    await kubectl.run('delete', 'job', 'bad', '--cascade=foreground')
    expect(harness.cluster.pods('default')).toEqual([])
  })

  it('is refused what a server refuses: long names, bad tokens', async () => {
    const long = kubectl.file(job('x'.repeat(64), ''), 'create', '--validate=false')
    await expect(long).rejects.toThrow('no more than 63 characters')
    await expect(kubectl.run('get', 'jobs', '--token', 'other')).rejects.toThrow(/Unauthorized|logged in/)
  })

  it('sees what the executor made, and takes its manifests for its own', async () => {
    const target = await CallbackTarget.open()
    const executor = harness.executor()
    const spec = script(target, REPORT_AND_WAIT)
    const { ref } = await executor.start(spec, never)
    const waiting = executor.wait(ref, { signal: never })
    await target.called(spec.attemptId)
    const selector = ['-l', `workly/attempt=${spec.attemptId}`]
    expect(await kubectl.run('get', 'jobs', '-A', ...selector, '-o', 'name')).toBe(`job.batch/${ref.name}\n`)
    const policy = JSON.parse(await kubectl.run('get', 'netpol', 'workly', '-n', ref.namespace, '-o', 'json'))
    expect(policy.spec.policyTypes).toEqual(['Ingress', 'Egress'])
    const { uid, resourceVersion, creationTimestamp, ...metadata } = policy.metadata
    const applied = await kubectl.file({ ...policy, metadata }, 'apply', '--server-side', '--validate=false')
    expect(applied).toContain('serverside-applied')
    await runOnce(executor, script(target, 'touch /data/go', { organizationId: spec.organizationId }))
    expect(await waiting).toMatchObject({ class: 'ok' })
    await executor.remove(ref, never)
    expect(await kubectl.run('get', 'jobs,pods', '-A', ...selector, '-o', 'name')).toBe('')
    await executor.close()
    await target.close()
  })
})
