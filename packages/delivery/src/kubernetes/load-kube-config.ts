import type { KubeConfig } from '@kubernetes/client-node'

/**
 * How to reach the cluster: a kubeconfig file, or (`in-cluster`) the service account of the pod that this runs in. The
 * official client is big, and loaded only where it is used.
 * @throws Error when the file can't be read, or there is no service account
 */
export async function loadKubeConfig(source: { file: string } | 'in-cluster'): Promise<KubeConfig> {
  const { KubeConfig } = await import('@kubernetes/client-node')
  const config = new KubeConfig()
  if (source === 'in-cluster') config.loadFromCluster()
  else config.loadFromFile(source.file)
  return config
}
