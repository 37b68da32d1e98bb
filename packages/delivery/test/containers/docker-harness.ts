import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Dockerode from 'dockerode'
import { inject } from 'vitest'
import { DockerExecutor } from '../../src/docker.ts'
import { imageReference } from '../../src/image-reference.ts'
import { BOX } from '../docker-engine.ts'
import { CutProxy } from './cut-proxy.ts'
import type { Harness } from './harness.ts'

export async function dockerHarness(): Promise<Harness> {
  const registry = inject('registry')
  const proxy = new CutProxy(inject('dockerSocket'))
  await proxy.start()
  const docker = new Dockerode({ socketPath: inject('dockerSocket') })
  const configDir = await mkdtemp(join(tmpdir(), 'workly-config-'))
  return {
    kind: 'docker',
    executor: ({ patienceMs, installation, memoryBytes = 64 * 1024 ** 2 } = {}) =>
      new DockerExecutor({
        engine: { host: '127.0.0.1', port: proxy.port, protocol: 'http' },
        registry,
        configDir,
        network: 'host',
        limits: { cpus: 1, memoryBytes },
        ...(patienceMs === undefined ? {} : { patienceMs }),
        ...(installation === undefined ? {} : { installation }),
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
    away: () => proxy.stop(),
    back: () => proxy.start(),
    close: async () => {
      await proxy.stop()
      await rm(configDir, { recursive: true, force: true })
    },
  }
}
