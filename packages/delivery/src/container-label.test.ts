import { describe, expect, it } from 'vitest'
import { checkInstallation, hasLabels, listed, refOf } from './container-label.ts'

const ATTEMPT = {
  organizationId: 'org_01jqz3xw8y0000000000000000',
  attemptId: 'att_01jqz3xw8y0000000000000001',
}
const LABELS = {
  'workly/organization': ATTEMPT.organizationId,
  'workly/run': 'run_01jqz3xw8y0000000000000002',
  'workly/attempt': ATTEMPT.attemptId,
}

describe('where a container is', () => {
  it('follows from the organization and the attempt, in names that Kubernetes takes', () => {
    const ref = refOf('kubernetes', ATTEMPT)
    expect(ref).toEqual({
      executor: 'kubernetes',
      namespace: 'workly-org-01jqz3xw8y0000000000000000',
      name: 'workly-att-01jqz3xw8y0000000000000001',
    })
    // The Job controller adds six characters for a pod, and a label holds 63.
    expect(ref.name.length).toBeLessThanOrEqual(57)
  })

  it.each(['org_A', 'org', 'org_a_b', 'org_a/../x', 'org-a', '', `org_${'a'.repeat(60)}`])(
    'refuses the id %j',
    id => {
      expect(() => refOf('docker', { ...ATTEMPT, organizationId: id })).toThrow('no id')
    },
  )

  it('lists only what is labelled and named as Workly does it', () => {
    const { name } = refOf('docker', ATTEMPT)
    const createdAt = new Date(0)
    expect(listed('docker', { name, labels: LABELS, createdAt })).toMatchObject({ ...ATTEMPT, createdAt })
    expect(listed('docker', { name: 'other', labels: LABELS, createdAt })).toBeNull()
    expect(listed('docker', { name, labels: { ...LABELS, 'workly/run': 'x' }, createdAt })).toBeNull()
    expect(listed('docker', { name, labels: undefined, createdAt })).toBeNull()
  })

  it('takes something for its own only with every label', () => {
    expect(hasLabels({ a: '1', b: '2' }, { a: '1' })).toBe(true)
    expect(hasLabels({ a: '1' }, { a: '1', b: '2' })).toBe(false)
    expect(hasLabels({ a: '2' }, { a: '1' })).toBe(false)
    expect(hasLabels(undefined, { a: '1' })).toBe(false)
  })

  it('takes names of installations that fit a label', () => {
    expect(checkInstallation('staging-2')).toBe('staging-2')
    for (const bad of ['', '-a', 'a-', 'A', 'a_b', 'x'.repeat(41)]) {
      expect(() => checkInstallation(bad)).toThrow('no name of an installation')
    }
  })
})
