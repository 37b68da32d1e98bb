import { isDeepStrictEqual } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ImageExecutor } from '../../src/image.ts'
import { TRUSTED_MS } from '../../src/kubernetes/organization-namespace.ts'
import { kindOf } from '../kubernetes/object-writes.ts'
import type { StoredObject } from '../kubernetes/stored-object.ts'
import { CallbackTarget } from './callback-target.ts'
import { never, newOrganization, REPORT_AND_WAIT, script } from './harness.ts'
import { type KubernetesHarness, kubernetesHarness } from './kubernetes-harness.ts'
import { runOnce } from './scenarios.ts'

const NAMESPACES = kindOf('namespaces')
const POLICIES = kindOf('networkpolicies')
const CLAIMS = kindOf('persistentvolumeclaims')
const LETS_STOP = 'trap "exit 0" TERM; wget -qO- $callbackUri; sleep 60 & wait'
const SECURITY = 'pod-security.kubernetes.io/enforce'

describe("an organization's namespace that someone changes by hand", () => {
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

  /** What Workly made: policy, labels and claim, without what the server counts. */
  function made(namespace: string): object {
    const { store } = harness.cluster
    return {
      policy: store.find(POLICIES, namespace, 'workly')?.spec,
      labels: store.find(NAMESPACES, undefined, namespace)?.metadata.labels,
      claim: store.find(CLAIMS, namespace, 'data')?.spec,
    }
  }

  function spec(organizationId: string, text = 'true') {
    return script(target, text, { organizationId })
  }

  function label(namespace: string, change: (labels: Record<string, string>) => void): void {
    harness.cluster.store.update(NAMESPACES, undefined, namespace, ({ metadata }: StoredObject) => {
      change(metadata.labels ?? {})
    })
  }

  const opened = (namespace: string) =>
    harness.cluster.store.update(POLICIES, namespace, 'workly', policy => {
      policy.spec = { ...policy.spec, egress: [{}], ingress: [{}] }
    })
  const CHANGES: [string, (namespace: string) => void][] = [
    ['a policy that was opened', opened],
    ['a policy that was deleted', namespace => harness.cluster.store.delete(POLICIES, namespace, 'workly')],
    ['a claim that was deleted', namespace => harness.cluster.store.delete(CLAIMS, namespace, 'data')],
    [
      'Pod Security that was lowered',
      namespace => label(namespace, labels => (labels[SECURITY] = 'privileged')),
    ],
    ['Pod Security that was taken away', namespace => label(namespace, labels => delete labels[SECURITY])],
    [
      "the installation's name that was taken away",
      namespace => label(namespace, labels => delete labels['workly/installation']),
    ],
  ]

  it.concurrent.each(CHANGES)(
    '%s is set right before a container starts, once it is no longer trusted',
    async (_, change) => {
      const organizationId = newOrganization()
      const wary = harness.executor({ trustedMs: 0 })
      await runOnce(executor, spec(organizationId))
      const { namespace } = executor.refFor(spec(organizationId))
      const before = made(namespace)
      change(namespace)
      expect(made(namespace)).not.toEqual(before)
      const { ref } = await wary.start(spec(organizationId), never)
      expect(made(namespace)).toEqual(before)
      await wary.remove(ref, never)
      await wary.close()
    },
  )

  it.concurrent.each(CHANGES)('%s is set right while a container runs', async (_, change) => {
    const organizationId = newOrganization()
    const keeper = harness.executor({ trustedMs: 300 })
    const running = spec(organizationId, LETS_STOP)
    const { ref } = await keeper.start(running, never)
    const before = made(ref.namespace)
    const waiting = keeper.wait(ref, { signal: never })
    await target.called(running.attemptId)
    change(ref.namespace)
    await harness.cluster.until(() => isDeepStrictEqual(made(ref.namespace), before))
    await keeper.remove(ref, never)
    expect(await waiting).toMatchObject({ class: 'cancelled' })
    await keeper.close()
  })

  it('a worker that took a container over sets its namespace right too', async () => {
    const organizationId = newOrganization()
    const running = spec(organizationId, LETS_STOP)
    const { ref } = await executor.start(running, never)
    await target.called(running.attemptId)
    const before = made(ref.namespace)
    const adopter = harness.executor({ trustedMs: 300 })
    await runOnce(adopter, spec(newOrganization()))
    const waiting = adopter.wait(ref, { signal: never })
    opened(ref.namespace)
    await harness.cluster.until(() => isDeepStrictEqual(made(ref.namespace), before))
    await adopter.remove(ref, never)
    expect(await waiting).toMatchObject({ class: 'cancelled' })
    await adopter.close()
  })

  it('a container that was started without its claim runs when that is made again', async () => {
    const organizationId = newOrganization()
    const keeper = harness.executor({ trustedMs: 300 })
    await runOnce(executor, spec(organizationId))
    await runOnce(keeper, spec(newOrganization()))
    const late = spec(organizationId, 'wget -qO- $callbackUri')
    harness.cluster.store.delete(CLAIMS, executor.refFor(late).namespace, 'data')
    // It trusts the namespace, so that the pod finds no claim.
    const { ref } = await executor.start(late, never)
    await harness.cluster.until(() =>
      JSON.stringify(harness.cluster.pods(ref.namespace)).includes('not found'),
    )
    expect(await keeper.wait(ref, { signal: never })).toMatchObject({ class: 'ok' })
    expect(target.count(late.attemptId)).toBe(1)
    await keeper.remove(ref, never)
    await keeper.close()
  })

  it('that a cluster does not let it be set right fails no container', async () => {
    const organizationId = newOrganization()
    const keeper = harness.executor({ trustedMs: 100 })
    const { faults } = harness.cluster.server
    const { ref } = await keeper.start(spec(organizationId, REPORT_AND_WAIT), never)
    const waiting = keeper.wait(ref, { signal: never })
    faults.add({ method: 'PATCH', path: /\/networkpolicies\//, status: 403, reason: 'Forbidden', times: 3 })
    await faults.used()
    await runOnce(executor, spec(organizationId, 'touch /data/go'))
    expect(await waiting).toMatchObject({ class: 'ok' })
    await keeper.remove(ref, never)
    await keeper.close()
  })

  it('is trusted for five minutes', () => {
    expect(TRUSTED_MS).toBe(300_000)
  })
})
