import { describe, expect, it } from 'vitest'
import { Judge, type Judgement, type Sight } from './judge.ts'
import type { Condition, ContainerState, Job, Pod } from './objects.ts'

const TIMES = { complaintMs: 20_000, settleMs: 5000 }

function job(...conditions: Partial<Condition>[]): Job {
  const full = conditions.map(condition => ({ type: '', status: 'True', ...condition }))
  return { metadata: { name: 'j' }, spec: { activeDeadlineSeconds: 30 }, status: { conditions: full } }
}

function pod(state: ContainerState, over: { status?: Pod['status']; metadata?: Pod['metadata'] } = {}): Pod {
  return {
    metadata: { name: 'p', ...over.metadata },
    spec: { containers: [{ name: 'main', resources: { limits: { memory: '64Mi' } } }] },
    status: { phase: 'Running', containerStatuses: [{ name: 'main', state }], ...over.status },
  }
}

const RUNNING: ContainerState = { running: { startedAt: '2026-01-01T00:00:00Z' } }
const TERMINATING = { deletionTimestamp: '2026-01-01T00:00:20Z', deletionGracePeriodSeconds: 10 }

function ended(exitCode: number, reason = 'Error', finishedAt = '2026-01-01T00:00:05Z'): ContainerState {
  return { terminated: { exitCode, reason, finishedAt } }
}

/** What one judge says of the sights that it is shown, each at its moment. */
function say(...sights: [atMs: number, sight: Sight][]): Judgement[] {
  const judge = new Judge(TIMES)
  return sights.map(([atMs, sight]) => judge.look(sight, atMs))
}

function verdictOf(sight: Sight) {
  const [judgement] = say([0, sight])
  return judgement !== undefined && 'done' in judgement ? judgement.done : judgement
}

describe('the end of the main container', () => {
  it('decides before the pod and the Job have noticed', () => {
    expect(verdictOf({ job: job(), pods: [pod(ended(0, 'Completed'))] })).toMatchObject({
      class: 'ok',
      exitCode: 0,
    })
    expect(verdictOf({ job: job(), pods: [pod(ended(3))] })).toMatchObject({
      class: 'container_exit',
      exitCode: 3,
    })
  })

  it('is that of the container called main, whatever a sidecar does', () => {
    const statuses = [
      { name: 'proxy', state: ended(1) },
      { name: 'main', state: RUNNING },
    ]
    const withSidecar = pod(RUNNING, { status: { phase: 'Running', containerStatuses: statuses } })
    expect(verdictOf({ job: job(), pods: [withSidecar] })).toEqual({ lookAgainMs: null })
  })

  it.each([
    [ended(137, 'OOMKilled'), 'container_exit', 'out of memory; its limit is 64Mi'],
    [ended(128, 'StartError'), 'container_config', 'could not be started'],
    [ended(137, 'ContainerStatusUnknown'), 'evicted', 'lost the container'],
    [ended(143), 'container_exit', 'SIGTERM'],
  ])('%j is %s', (state, expected, words) => {
    const verdict = verdictOf({ job: job(), pods: [pod(state)] })
    expect(verdict).toMatchObject({ class: expected, message: expect.stringContaining(words) })
  })

  it('counts under a deletion only if it came a second before it was asked for', () => {
    const before = pod(ended(3, 'Error', '2026-01-01T00:00:09Z'), { metadata: TERMINATING })
    expect(verdictOf({ job: job(), pods: [before] })).toMatchObject({ class: 'container_exit' })
    const same = pod(ended(0, 'Completed', '2026-01-01T00:00:10Z'), { metadata: TERMINATING })
    expect(verdictOf({ job: job(), pods: [same] })).toEqual({ lookAgainMs: 5000 })
  })
})

describe('what a Job announces', () => {
  it.each(['SuccessCriteriaMet', 'Complete'])('%s is success', type => {
    expect(verdictOf({ job: job({ type }), pods: [] })).toMatchObject({ class: 'ok' })
  })

  it.each(['FailureTarget', 'Failed'])(
    '%s for its deadline is timeout, and tells what it waited for',
    type => {
      const waiting = pod({ waiting: { reason: 'ContainerCreating' } }, { status: { phase: 'Pending' } })
      const late = job({ type, reason: 'DeadlineExceeded' })
      expect(verdictOf({ job: late, pods: [pod(RUNNING, { metadata: TERMINATING })] })).toMatchObject({
        class: 'timeout',
        message: 'The container did not end within its deadline of 30 s.',
      })
      expect(verdictOf({ job: late, pods: [] })).toMatchObject({
        message: expect.stringContaining('its pod was never made'),
      })
      const unscheduled = pod(RUNNING, {
        status: {
          phase: 'Pending',
          containerStatuses: [],
          conditions: [{ type: 'PodScheduled', status: 'False', message: '0/3 nodes are available' }],
        },
      })
      const [, end] = say([0, { job: job(), pods: [unscheduled] }], [1000, { job: late, pods: [] }])
      expect(end).toMatchObject({ done: { class: 'timeout', message: expect.stringContaining('0/3 nodes') } })
      expect(verdictOf({ job: late, pods: [waiting] })).toMatchObject({ class: 'timeout' })
    },
  )

  it('a deadline whose reason comes after the pods are seen to go is still a timeout', () => {
    const going = pod(RUNNING, { metadata: TERMINATING })
    const [first, second] = say(
      [0, { job: job(), pods: [going] }],
      [80, { job: job({ type: 'FailureTarget', reason: 'DeadlineExceeded' }), pods: [] }],
    )
    expect(first).toEqual({ lookAgainMs: 5000 })
    expect(second).toMatchObject({ done: { class: 'timeout' } })
  })

  it('a pod that goes without a reason is evicted when none comes', () => {
    const going = pod(RUNNING, { metadata: TERMINATING })
    const [, second] = say([0, { job: job(), pods: [going] }], [5000, { job: job(), pods: [going] }])
    expect(second).toMatchObject({ done: { class: 'evicted' } })
  })

  it('a failure waits a little for the pod that explains it', () => {
    const failure = job({ type: 'FailureTarget', reason: 'BackoffLimitExceeded', message: 'limit' })
    const [first, second] = say(
      [0, { job: failure, pods: [pod(RUNNING)] }],
      [300, { job: failure, pods: [pod(ended(7))] }],
    )
    expect(first).toEqual({ lookAgainMs: 5000 })
    expect(second).toMatchObject({ done: { class: 'container_exit', exitCode: 7 } })
    const [, late] = say([0, { job: failure, pods: [] }], [5000, { job: failure, pods: [] }])
    expect(late).toMatchObject({ done: { class: 'evicted' } })
  })

  it('a Job that is being deleted was deleted by someone else', () => {
    const going: Job = { ...job(), metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } }
    expect(verdictOf({ job: going, pods: [pod(RUNNING)] })).toMatchObject({ class: 'evicted' })
  })
})

describe('an eviction', () => {
  it.each([
    { phase: 'Failed', reason: 'Evicted', message: 'The node was low on resource: memory.' },
    { phase: 'Failed', reason: 'OutOfcpu', message: 'Node did not have enough resource' },
    { conditions: [{ type: 'DisruptionTarget', status: 'True', reason: 'PreemptionByScheduler' }] },
  ])('is seen by %j', status => {
    const killed = pod(ended(137), { status: { ...pod(ended(137)).status, ...status } })
    expect(verdictOf({ job: job(), pods: [killed] })).toMatchObject({ class: 'evicted' })
    const never = pod(RUNNING, { status: { ...status, containerStatuses: [] } })
    expect(verdictOf({ job: job(), pods: [never] })).toMatchObject({ class: 'evicted' })
  })

  it('does not undo a success', () => {
    const done = pod(ended(0), { status: { ...pod(ended(0)).status, phase: 'Failed', reason: 'Evicted' } })
    expect(verdictOf({ job: job(), pods: [done] })).toMatchObject({ class: 'ok' })
  })
})

describe('a container that waits', () => {
  function waiting(reason: string, message = ''): Sight {
    return { job: job(), pods: [pod({ waiting: { reason, message } }, { status: undefined })] }
  }

  it.each([
    ['ImagePullBackOff', '', 'image_pull'],
    ['ErrImageNeverPull', '', 'image_pull'],
    ['InvalidImageName', 'invalid reference format', 'container_config'],
    ['CreateContainerConfigError', 'secret "db" not found', 'container_config'],
    ['CreateContainerConfigError', "couldn't find key x in Secret ns/db", 'container_config'],
  ])('for %s (%s) fails at once as %s', (reason, message, expected) => {
    expect(verdictOf(waiting(reason, message))).toMatchObject({ class: expected })
  })

  it('names the missing secret', () => {
    expect(verdictOf(waiting('CreateContainerConfigError', 'secret "db" not found'))).toMatchObject({
      message: 'The container could not be made: secret "db" not found',
    })
  })

  it.each([
    ['ErrImagePull', 'image_pull'],
    ['CreateContainerError', 'container_config'],
    ['CreateContainerConfigError', 'container_config'],
  ])('for %s fails only when that lasts', (reason, expected) => {
    const sight = waiting(reason, 'timed out')
    const [first, second, third] = say([0, sight], [15_000, sight], [20_000, sight])
    expect([first, second]).toEqual([{ lookAgainMs: 20_000 }, { lookAgainMs: 5000 }])
    expect(third).toMatchObject({ done: { class: expected } })
  })

  it('may get over a failed pull, and begins anew with its patience', () => {
    const failing = waiting('ErrImagePull', 'reset')
    const [, , again] = say([0, failing], [19_000, { job: job(), pods: [pod(RUNNING)] }], [30_000, failing])
    expect(again).toEqual({ lookAgainMs: 20_000 })
  })

  it('tells why a pull failed, which a back-off may not', () => {
    const error = waiting('ErrImagePull', 'failed to pull "x": not found, as the registry says')
    const [, end] = say([0, error], [17_000, waiting('ImagePullBackOff', 'Back-off pulling image "x"')])
    expect(end).toMatchObject({ done: { message: expect.stringContaining('as the registry says') } })
  })

  it('for an ordinary reason is waited for', () => {
    expect(verdictOf(waiting('ContainerCreating'))).toEqual({ lookAgainMs: null })
    expect(verdictOf({ job: job(), pods: [] })).toEqual({ lookAgainMs: null })
  })
})
