import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inject } from 'vitest'
import { JOB_NAME_LABEL } from '../../src/kubernetes/objects.ts'
import { KubernetesExecutor, type KubernetesExecutorOptions } from '../../src/kubernetes.ts'
import { FakeCluster, object, WORKLY_TOKEN } from '../kubernetes/fake-cluster.ts'
import { createObject, deleteObject, kindOf, patchObject } from '../kubernetes/object-writes.ts'
import type { Json } from '../kubernetes/stored-object.ts'
import type { ExecutorSettings, Harness } from './harness.ts'
import './provided.ts'

const GUIDE = new URL('../../../../docs/images.md', import.meta.url)

/** The ClusterRole that the guide tells operators to apply: what it lacks, these tests lack too. */
export async function documentedRole(): Promise<string> {
  const [, yaml] = /```yaml\n([\s\S]*?)```/.exec(await readFile(GUIDE, 'utf8')) ?? []
  if (yaml === undefined) throw new Error('docs/images.md has no ClusterRole')
  return yaml
}

export interface KubernetesHarness extends Harness {
  cluster: FakeCluster
  executor(settings?: ExecutorSettings & Partial<KubernetesExecutorOptions>): KubernetesExecutor
}

export async function kubernetesHarness(): Promise<KubernetesHarness> {
  const cluster = new FakeCluster({ dockerSocket: inject('dockerSocket'), role: await documentedRole() })
  await cluster.server.start()
  const folder = await mkdtemp(join(tmpdir(), 'workly-kubeconfig-'))
  const kubeconfig = join(folder, 'config')
  const ensureNamespace = (name: string, organizationId: string) => {
    const labels = { 'app.kubernetes.io/managed-by': 'workly', 'workly/organization': organizationId }
    const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } } as unknown as Json
    patchObject(cluster.store, kindOf('namespaces'), { namespace: undefined, name }, { body, isApply: true })
  }
  return {
    kind: 'kubernetes',
    cluster,
    executor: ({ memoryBytes = 64 * 1024 ** 2, ...settings } = {}) =>
      new KubernetesExecutor({
        config: cluster.config(WORKLY_TOKEN),
        registry: inject('registry'),
        limits: { cpus: 1, memoryBytes },
        ...settings,
      }),
    putConfig: async (organizationId, kind, name, values) => {
      const namespace = `workly-${organizationId.replace('_', '-')}`
      ensureNamespace(namespace, organizationId)
      const [plural, given] =
        kind === 'secret'
          ? ['secrets', object('Secret', name, { stringData: values })]
          : ['configmaps', object('ConfigMap', name, { data: values })]
      createObject(cluster.store, kindOf(plural), namespace, given)
    },
    removeFromOutside: async ({ namespace }) => {
      const [pod] = cluster.pods(namespace)
      deleteObject(cluster.store, kindOf('pods'), { namespace, name: pod?.metadata.name ?? '' }, {})
    },
    takeName: async ({ namespace, name }, organizationId) => {
      ensureNamespace(namespace, organizationId)
      const container = { name: 'x', image: 'nobody/nothing:1' }
      const template = { spec: { restartPolicy: 'Never', containers: [container] } }
      createObject(cluster.store, kindOf('jobs'), namespace, object('Job', name, { spec: { template } }))
    },
    exists: async ({ namespace, name }) =>
      cluster.store.find(kindOf('jobs'), namespace, name) !== null ||
      cluster.pods(namespace).some(({ metadata }) => metadata.labels?.[JOB_NAME_LABEL] === name),
    environment: async () => {
      await writeFile(kubeconfig, cluster.config(WORKLY_TOKEN).exportConfig(), { mode: 0o600 })
      return {
        WORKLY_IMAGE_EXECUTOR: 'kubernetes',
        KUBECONFIG: kubeconfig,
        WORKLY_IMAGE_REGISTRY: inject('registry'),
      }
    },
    away: () => cluster.server.stop(),
    back: () => cluster.server.start(),
    close: async () => {
      await cluster.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
