import { dumpYaml, loadYaml } from '@kubernetes/client-node'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ImageExecutor } from '../../src/image.ts'
import { deleteObject, kindOf } from '../kubernetes/object-writes.ts'
import { CallbackTarget } from './callback-target.ts'
import { never, script } from './harness.ts'
import { documentedRole, type KubernetesHarness, kubernetesHarness } from './kubernetes-harness.ts'

interface Role {
  kind: string
  rules: { apiGroups: string[]; resources: string[]; verbs: string[] }[]
}

const LETS_STOP = 'echo going; trap "exit 0" TERM; wget -qO- $callbackUri; sleep 60 & wait'
const guide = await documentedRole()
const RIGHTS = loadYaml<Role>(guide).rules.flatMap(({ resources, verbs }) =>
  resources.flatMap(resource => verbs.map((verb): [string, string] => [verb, resource])),
)

/** The guide's role less one right. */
function without(verb: string, resource: string): string {
  const role = loadYaml<Role>(guide)
  for (const rule of role.rules) {
    if (rule.resources.includes(resource)) rule.verbs = rule.verbs.filter(other => other !== verb)
  }
  return dumpYaml(role)
}

describe("the rights that the guide's ClusterRole gives", () => {
  let harness: KubernetesHarness
  let target: CallbackTarget

  beforeAll(async () => {
    harness = await kubernetesHarness()
    target = await CallbackTarget.open()
  })
  afterAll(async () => {
    await target?.close()
    await harness?.close()
  })

  async function withRole(token: string, role: string, use: (executor: ImageExecutor) => Promise<string[]>) {
    harness.cluster.server.access.grant(token, role)
    const executor = harness.executor({ config: harness.cluster.config(token), patienceMs: 2000 })
    return await use(executor).finally(() => executor.close())
  }

  /** Everything that Workly does with containers. @returns what went wrong */
  async function everything(executor: ImageExecutor): Promise<string[]> {
    const problems: string[] = []
    const spec = script(target, LETS_STOP)
    const started = await executor.start(spec, never)
    if (!started.started) return [`${started.outcome.class}: ${started.outcome.message}`]
    const { ref } = started
    const waiting = executor.wait(ref, { signal: never })
    await target.called(spec.attemptId)
    // The name is taken by then: adopted.
    const again = await executor.start(spec, never)
    if (!again.started) problems.push(`${again.outcome.message}`)
    const work = async (what: Promise<unknown>) => {
      await what.catch((error: Error) => problems.push(error.message))
    }
    await work(executor.list(never))
    await work(executor.logs(ref, { signal: never }))
    // Someone deletes the Job and leaves its pod, which is to be removed too.
    deleteObject(harness.cluster.store, kindOf('jobs'), ref, { propagationPolicy: 'Orphan' })
    const outcome = await waiting
    if (outcome.class !== 'evicted') problems.push(`${outcome.class}: ${outcome.message}`)
    await work(executor.remove(ref, never))
    const other = script(target, LETS_STOP)
    const second = await executor.start(other, never)
    await target.called(other.attemptId)
    await work(executor.remove(second.ref, never))
    return problems
  }

  it('are all that is needed', async () => {
    expect(loadYaml<Role>(guide).kind).toBe('ClusterRole')
    expect(RIGHTS.length).toBeGreaterThan(10)
    expect(await withRole('whole', guide, everything)).toEqual([])
  })

  it.each(RIGHTS)(
    'are each needed: without "%s %s" something is refused, and named',
    async (verb, resource) => {
      const problems = await withRole(`no-${verb}-${resource}`, without(verb, resource), everything)
      expect(problems).not.toEqual([])
      expect(problems.join('\n')).toContain(`cannot ${verb} resource "${resource}"`)
      expect(problems.join('\n')).toContain('Give the workers the rights of the ClusterRole')
    },
  )
})
