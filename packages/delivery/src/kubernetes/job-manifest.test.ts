import { describe, expect, it } from 'vitest'
import { refOf } from '../container-label.ts'
import type { ImageSpec } from '../image.ts'
import { jobManifest } from './job-manifest.ts'

const SPEC: ImageSpec = {
  organizationId: 'org_1',
  runId: 'run_1',
  attemptId: 'att_1',
  stepId: 's'.repeat(64),
  name: 'team/box',
  tag: '1',
  command: ['sh', '-c', 'echo $HOME $(A)'],
  env: { A: '$', callbackUri: 'mine' },
  envFrom: [{ secret: 'db', prefix: '' }],
  timeoutSeconds: 90,
  callbackUri: 'https://workly.example/cb',
}

function manifest(over: Partial<ImageSpec> = {}) {
  const settings = {
    installation: 'default',
    limits: { cpus: 0.5, memoryBytes: 512 * 1024 ** 2 },
    imagePullSecrets: ['registry'],
  }
  return jobManifest({ ...SPEC, ...over }, refOf('kubernetes', SPEC), 'r.example/team/box:1', settings)
}

describe('the Job of an attempt', () => {
  it('runs one pod once, for a limited time, and goes by itself if nobody removes it', () => {
    expect(manifest().spec).toMatchObject({
      backoffLimit: 0,
      podReplacementPolicy: 'Failed',
      activeDeadlineSeconds: 90,
      template: { spec: { restartPolicy: 'Never' } },
    })
    expect(manifest().spec?.ttlSecondsAfterFinished).toBeGreaterThanOrEqual(3600)
  })

  it('has no privileges and no token, and limits that are also its requests', () => {
    const pod = manifest().spec?.template.spec
    expect(pod).toMatchObject({ automountServiceAccountToken: false, enableServiceLinks: false })
    expect(pod?.securityContext?.seccompProfile).toEqual({ type: 'RuntimeDefault' })
    expect(pod?.containers[0]?.securityContext).toEqual({
      privileged: false,
      allowPrivilegeEscalation: false,
      capabilities: { drop: ['ALL'] },
    })
    expect(pod?.containers[0]?.resources).toEqual({
      limits: { cpu: '0.5', memory: '512Mi' },
      requests: { cpu: '0.5', memory: '512Mi' },
    })
    expect(pod?.imagePullSecrets).toEqual([{ name: 'registry' }])
  })

  it('keeps the id of a step, which may be too long for a label, as an annotation', () => {
    expect(manifest().metadata?.annotations).toEqual({ 'workly/step': SPEC.stepId })
    expect(manifest({ stepId: null }).metadata?.annotations).toBeUndefined()
  })

  it("lets Kubernetes replace nothing, and the callback is Workly's", () => {
    const [container] = manifest().spec?.template.spec?.containers ?? []
    expect(container?.command).toEqual(['sh', '-c', 'echo $$HOME $$(A)'])
    expect(container?.args).toBeUndefined()
    expect(container?.env).toEqual([
      { name: 'A', value: '$$' },
      { name: 'callbackUri', value: 'https://workly.example/cb' },
    ])
    expect(container?.envFrom).toEqual([{ secretRef: { name: 'db' } }])
  })
})
