import type { ContainerCreateOptions } from 'dockerode'
import type { ObjectStore } from './object-store.ts'
import { kindOf } from './object-writes.ts'
import { expand, type PodContainer } from './pod-environment.ts'
import type { StoredObject } from './stored-object.ts'

const UNITS: Record<string, number> = { '': 1, Ki: 1024, Mi: 1024 ** 2, Gi: 1024 ** 3 }

function bytesOf(quantity: string | undefined): number | undefined {
  const [, digits, unit] = /^(\d+)(Ki|Mi|Gi)?$/.exec(quantity ?? '') ?? []
  return digits === undefined ? undefined : Number(digits) * (UNITS[unit ?? ''] ?? 1)
}

interface PodVolume {
  name: string
  persistentVolumeClaim?: { claimName: string }
}

function claimsOf(pod: StoredObject): { volume: string; claim: string }[] {
  return ((pod.spec?.volumes ?? []) as unknown as PodVolume[]).flatMap(({ name, persistentVolumeClaim }) =>
    persistentVolumeClaim === undefined ? [] : { volume: name, claim: persistentVolumeClaim.claimName },
  )
}

/** The claims of a pod that are not there, for which it waits without a node. */
export function missingClaims(store: ObjectStore, pod: StoredObject): string[] {
  const kind = kindOf('persistentvolumeclaims')
  return claimsOf(pod)
    .map(({ claim }) => claim)
    .filter(claim => store.find(kind, pod.metadata.namespace, claim) === null)
}

/** What a container runtime is told for one container of a pod. */
export function containerOptions(
  store: ObjectStore,
  pod: StoredObject,
  container: PodContainer,
  variables: ReadonlyMap<string, string>,
): ContainerCreateOptions {
  const { command, args, securityContext } = container
  const claims = new Map(claimsOf(pod).map(({ volume, claim }) => [volume, claim]))
  const claimKind = kindOf('persistentvolumeclaims')
  const mounts = (container.volumeMounts ?? []).map(({ name, mountPath }) => ({
    Type: 'volume' as const,
    Source: `pvc-${store.get(claimKind, pod.metadata.namespace, claims.get(name) ?? name).metadata.uid}`,
    Target: mountPath,
  }))
  const memory = bytesOf(container.resources?.limits?.memory)
  return {
    name: `k8s_${container.name}_${pod.metadata.name}_${pod.metadata.uid}`,
    Image: container.image,
    ...(command === undefined ? {} : { Entrypoint: command.map(text => expand(text, variables)) }),
    ...(args === undefined ? {} : { Cmd: args.map(text => expand(text, variables)) }),
    Env: [...variables].map(([name, value]) => `${name}=${value}`),
    HostConfig: {
      NetworkMode: 'host',
      ...(memory === undefined ? {} : { Memory: memory, MemorySwap: memory }),
      CapDrop: securityContext?.capabilities?.drop ?? [],
      SecurityOpt: securityContext?.allowPrivilegeEscalation === false ? ['no-new-privileges'] : [],
      Mounts: mounts,
    },
  }
}
