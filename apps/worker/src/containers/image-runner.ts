import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Cidr } from '@workly/core'
import {
  DockerExecutor,
  type DockerExecutorOptions,
  type ImageExecutor,
  KubernetesExecutor,
  loadKubeConfig,
  NoExecutor,
} from '@workly/delivery'
import { type ContainerPlace, installationName, type Services } from '@workly/services'
import type { DockerSettings, ImageSettings } from './image-settings.ts'

/** What runs images; whoever opened it closes the executor. */
export interface ImageRunner {
  executor: ImageExecutor
  /** Whose containers it runs; null: none, every image fails at once. */
  kind: ContainerPlace['executor'] | null
}

/** No executor is set up: every image fails at once, and says so (spec section 3). */
export function noImages(): ImageRunner {
  return { executor: new NoExecutor(), kind: null }
}

/**
 * Opens what `WORKLY_IMAGE_EXECUTOR` names. The cluster or engine need not be there yet.
 * @throws Error when the kubeconfig or the certificates of the engine cannot be read
 */
export async function openImages(settings: ImageSettings, services: Services): Promise<ImageRunner> {
  if (settings.executor === 'none') return noImages()
  const { registry, limits } = settings
  const installation = settings.installation ?? (await installationName(services))
  const common = { registry, limits, installation }
  if (settings.executor === 'docker') {
    const { configDir, network } = settings
    const executor = new DockerExecutor({
      ...common,
      engine: await engineOf(settings),
      configDir,
      network,
      ...(settings.registryAuth && { registryAuth: settings.registryAuth }),
    })
    return { executor, kind: 'docker' }
  }
  const { data, pullSecrets, dnsBlocks, callbackPods } = settings
  const executor = new KubernetesExecutor({
    ...common,
    config: await loadKubeConfig(settings.kubeConfig),
    data,
    imagePullSecrets: pullSecrets,
    egress: {
      allowedPrivate: services.allowedPrivate,
      dnsBlocks: dnsBlocks.map((cidr: Cidr) => cidr.text),
      callbackPeers: callbackPods,
    },
  })
  return { executor, kind: 'kubernetes' }
}

async function engineOf({ engine }: DockerSettings): Promise<DockerExecutorOptions['engine']> {
  if ('socketPath' in engine) return engine
  const { certDir, ...address } = engine
  if (certDir === null) return address
  const [ca, cert, key] = await Promise.all(
    ['ca.pem', 'cert.pem', 'key.pem'].map(name => readFile(join(certDir, name), 'utf8')),
  )
  return { ...address, ca, cert, key }
}
