import { KubeConfig } from '@kubernetes/client-node'
import Dockerode from 'dockerode'
import { ApiServer } from './api-server.ts'
import { JobController } from './job-controller.ts'
import { Kubelet } from './kubelet.ts'
import { ObjectStore } from './object-store.ts'
import { createObject, kindOf } from './object-writes.ts'
import type { StoredObject } from './stored-object.ts'

export const ADMIN_TOKEN = 'admin-token'
export const WORKLY_TOKEN = 'workly-token'

/**
 * A cluster of one node on loopback: API server, Job controller, garbage collector and a kubelet that runs images on a
 * real Docker engine. It copies what a 1.36 cluster was seen to do, and is itself tried with the real kubectl.
 */
export class FakeCluster {
  readonly store = new ObjectStore()
  readonly controller: JobController
  readonly kubelet: Kubelet
  readonly server: ApiServer

  /** @param options.role YAML of the ClusterRole that Workly's token has */
  constructor(options: { dockerSocket: string; role: string; backOffMs?: number }) {
    const docker = new Dockerode({ socketPath: options.dockerSocket })
    this.controller = new JobController(this.store)
    this.kubelet = new Kubelet(this.store, docker, {
      backOffMs: options.backOffMs ?? 2000,
      phaseLagMs: 100,
    })
    this.server = new ApiServer(this.store, {
      adminToken: ADMIN_TOKEN,
      bookmarkMs: 1000,
      readLog: (pod, query) => this.kubelet.readLog(pod, query),
    })
    this.server.access.grant(WORKLY_TOKEN, options.role)
    createObject(this.store, kindOf('namespaces'), undefined, object('Namespace', 'default'))
    createObject(this.store, kindOf('namespaces'), undefined, object('Namespace', 'kube-system'))
  }

  /** A kubeconfig for one of the tokens. */
  config(token: string): KubeConfig {
    const config = new KubeConfig()
    const caData = Buffer.from(this.server.certificate.cert).toString('base64')
    config.loadFromClusterAndUser(
      { name: 'fake', server: this.server.url, caData, skipTLSVerify: false },
      { name: 'user', token },
    )
    return config
  }

  pods(namespace: string): StoredObject[] {
    return this.store.list(kindOf('pods'), namespace)
  }

  jobs(namespace: string): StoredObject[] {
    return this.store.list(kindOf('jobs'), namespace)
  }

  /** Resolves with what `look` finds as soon as it finds something, now or after a change. */
  async until<T>(look: () => T | null | undefined | false): Promise<T> {
    const { promise, resolve } = Promise.withResolvers<T>()
    const check = () => {
      const found = look()
      if (found) resolve(found)
    }
    const off = this.store.onEvent(check)
    check()
    return await promise.finally(off)
  }

  async close(): Promise<void> {
    await this.server.stop()
    this.controller.close()
    await this.kubelet.close()
    if (this.kubelet.failures.length > 0)
      throw new AggregateError(this.kubelet.failures, 'The kubelet failed')
  }
}

export function object(kind: string, name: string, rest: Partial<StoredObject> = {}): StoredObject {
  return { apiVersion: 'v1', kind, metadata: { name }, ...rest } as unknown as StoredObject
}
