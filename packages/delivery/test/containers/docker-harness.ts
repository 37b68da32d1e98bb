import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Dockerode from 'dockerode'
import { inject } from 'vitest'
import { DockerExecutor, type DockerExecutorOptions } from '../../src/docker.ts'
import { imageReference } from '../../src/image-reference.ts'
import { BOX } from '../docker-engine.ts'
import { CutProxy } from './cut-proxy.ts'
import type { ExecutorSettings, Harness } from './harness.ts'
import './provided.ts'

export interface DockerHarness extends Harness {
  executor(settings?: ExecutorSettings & Partial<DockerExecutorOptions>): DockerExecutor
}

export async function dockerHarness(): Promise<DockerHarness> {
  const registry = inject('registry')
  const proxy = new CutProxy(inject('dockerSocket'))
  await proxy.start()
  const docker = new Dockerode({ socketPath: inject('dockerSocket') })
  const configDir = await mkdtemp(join(tmpdir(), 'workly-config-'))
  return {
    kind: 'docker',
    executor: ({ memoryBytes = 64 * 1024 ** 2, ...settings } = {}) =>
      new DockerExecutor({
        engine: { host: '127.0.0.1', port: proxy.port, protocol: 'http' },
        registry,
        configDir,
        network: 'host',
        limits: { cpus: 1, memoryBytes },
        ...settings,
      }),
    putConfig: async (organizationId, kind, name, values) => {
      const folder = join(configDir, organizationId, kind === 'secret' ? 'secrets' : 'configmaps', name)
      await mkdir(folder, { recursive: true })
      for (const [key, value] of Object.entries(values)) await writeFile(join(folder, key), value)
    },
    removeFromOutside: async ref => {
      await docker.getContainer(ref.name).remove({ force: true })
    },
    takeName: async ref => {
      await docker.createContainer({ name: ref.name, Image: imageReference(registry, BOX), Cmd: ['true'] })
    },
    exists: async ref =>
      await docker
        .getContainer(ref.name)
        .inspect()
        .then(
          () => true,
          () => false,
        ),
    environment: async () => ({
      WORKLY_IMAGE_EXECUTOR: 'docker',
      WORKLY_DOCKER_SOCKET: inject('dockerSocket'),
      WORKLY_DOCKER_NETWORK: 'host',
      WORKLY_DOCKER_CONFIG_DIR: configDir,
      WORKLY_IMAGE_REGISTRY: registry,
    }),
    away: () => proxy.stop(),
    back: () => proxy.start(),
    close: async () => {
      await proxy.stop()
      await rm(configDir, { recursive: true, force: true })
    },
  }
}
