import type { V1EnvFromSource, V1Job } from '@kubernetes/client-node'
import { CALLBACK_VARIABLE } from '@workly/core'
import { labelsOf, STEP } from '../container-label.ts'
import { type ContainerLimits, inWords, STOP_GRACE_SECONDS } from '../container-limits.ts'
import type { ContainerRef, EnvironmentSource, ImageSpec } from '../image.ts'
import { MAIN_CONTAINER } from './objects.ts'
import { DATA_CLAIM } from './organization-namespace.ts'

export interface JobSettings {
  installation: string
  limits: ContainerLimits
  /** Names of pull secrets that the operator puts into every organization's namespace. */
  imagePullSecrets: readonly string[]
}

/** If no Workly is left to remove a Job, the cluster does, a day after its end; a watcher may be away for that long. */
const TTL_SECONDS = 86_400

/** Any number: the group that owns `/data`, so that images which run as different users share it. */
const DATA_GROUP = 10_000

/**
 * Kubernetes replaces `$(NAME)` in commands, arguments and values, and reads `$$` as `$`
 * (Pod API, "command"): doubled, a dollar is a dollar, as it is under Docker.
 */
function literal(text: string): string {
  return text.replaceAll('$', '$$$$')
}

function environmentSource(source: EnvironmentSource): V1EnvFromSource {
  const prefix = source.prefix === undefined || source.prefix === '' ? {} : { prefix: source.prefix }
  return 'secret' in source
    ? { ...prefix, secretRef: { name: source.secret } }
    : { ...prefix, configMapRef: { name: source.configMap } }
}

/**
 * The Job of one attempt: one pod that is never restarted or replaced, without privileges or a token, bounded in
 * processor, memory and time (spec section 3).
 * @param image the full reference
 */
export function jobManifest(spec: ImageSpec, ref: ContainerRef, image: string, settings: JobSettings): V1Job {
  const labels = labelsOf(spec, settings.installation)
  const annotations = spec.stepId === null ? {} : { annotations: { [STEP]: spec.stepId } }
  const { command = [], args = [] } = spec
  const environment = { ...spec.env, [CALLBACK_VARIABLE]: spec.callbackUri }
  const limits = { cpu: String(settings.limits.cpus), memory: inWords(settings.limits.memoryBytes) }
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: ref.name, namespace: ref.namespace, labels, ...annotations },
    spec: {
      backoffLimit: 0,
      podReplacementPolicy: 'Failed',
      activeDeadlineSeconds: spec.timeoutSeconds,
      ttlSecondsAfterFinished: TTL_SECONDS,
      template: {
        metadata: { labels, ...annotations },
        spec: {
          restartPolicy: 'Never',
          automountServiceAccountToken: false,
          enableServiceLinks: false,
          terminationGracePeriodSeconds: STOP_GRACE_SECONDS,
          imagePullSecrets: settings.imagePullSecrets.map(name => ({ name })),
          securityContext: {
            seccompProfile: { type: 'RuntimeDefault' },
            fsGroup: DATA_GROUP,
            fsGroupChangePolicy: 'OnRootMismatch',
          },
          containers: [
            {
              name: MAIN_CONTAINER,
              image,
              ...(command.length > 0 ? { command: command.map(literal) } : {}),
              ...(args.length > 0 ? { args: args.map(literal) } : {}),
              env: Object.entries(environment).map(([name, value]) => ({ name, value: literal(value) })),
              envFrom: spec.envFrom.map(environmentSource),
              resources: { limits, requests: limits },
              securityContext: {
                privileged: false,
                allowPrivilegeEscalation: false,
                capabilities: { drop: ['ALL'] },
              },
              volumeMounts: [{ name: 'data', mountPath: '/data' }],
            },
          ],
          volumes: [{ name: 'data', persistentVolumeClaim: { claimName: DATA_CLAIM } }],
        },
      },
    },
  }
}
