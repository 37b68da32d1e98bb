import { CALLBACK_VARIABLE } from '@workly/core'
import type { ContainerCreateOptions } from 'dockerode'
import { labelsOf, STEP, TIMEOUT } from '../container-label.ts'
import { type ContainerLimits, STOP_GRACE_SECONDS } from '../container-limits.ts'
import type { ContainerRef, ImageSpec } from '../image.ts'

export interface ContainerSettings {
  installation: string
  limits: ContainerLimits
  /** Docker's network mode: `bridge`, `host`, `none` or the name of a network. */
  network: string
}

/** Enough for a busy program, too few to stop a machine with. */
const MOST_PROCESSES = 1024

/**
 * What Docker is told to make: the container of an attempt, without privileges, bounded in processor, memory, processes
 * and log, and never started again by the engine.
 * @param variables those of secrets and config maps; `env` and the callback's win over them
 */
export function createOptions(
  spec: ImageSpec,
  ref: ContainerRef,
  image: string,
  variables: Readonly<Record<string, string>>,
  settings: ContainerSettings,
): ContainerCreateOptions {
  const environment = { ...variables, ...spec.env, [CALLBACK_VARIABLE]: spec.callbackUri }
  const { command = [], args = [] } = spec
  return {
    name: ref.name,
    Image: image,
    ...(command.length > 0 ? { Entrypoint: [...command] } : {}),
    ...(args.length > 0 ? { Cmd: [...args] } : {}),
    Env: Object.entries(environment).map(([name, value]) => `${name}=${value}`),
    Labels: {
      ...labelsOf(spec, settings.installation),
      [TIMEOUT]: String(spec.timeoutSeconds),
      ...(spec.stepId === null ? {} : { [STEP]: spec.stepId }),
    },
    Tty: false,
    OpenStdin: false,
    StopTimeout: STOP_GRACE_SECONDS,
    HostConfig: {
      NetworkMode: settings.network,
      NanoCpus: Math.round(settings.limits.cpus * 1e9),
      Memory: settings.limits.memoryBytes,
      // Memory and swap together: no swap on top.
      MemorySwap: settings.limits.memoryBytes,
      PidsLimit: MOST_PROCESSES,
      Privileged: false,
      CapDrop: ['ALL'],
      SecurityOpt: ['no-new-privileges'],
      RestartPolicy: { Name: 'no' },
      // Of a kind that can be read back whatever the engine's default is, and that does not fill the disk.
      LogConfig: { Type: 'json-file', Config: { 'max-size': '5m', 'max-file': '2' } },
      // Without NoCopy an image's own /data would be copied into the volume, which Kubernetes does not do.
      Mounts: [
        {
          Type: 'volume',
          Source: ref.namespace,
          Target: '/data',
          VolumeOptions: { NoCopy: true, Labels: {}, DriverConfig: { Name: '', Options: {} } },
        },
      ],
    },
  }
}
