import type { ContainerInspectInfo } from 'dockerode'
import { describe, expect, it } from 'vitest'
import { awaitsStart, judge } from './judge.ts'

const NEVER = '0001-01-01T00:00:00Z'

function container(state: Partial<ContainerInspectInfo['State']>): ContainerInspectInfo {
  const full = {
    Status: 'exited',
    Running: false,
    Error: '',
    ExitCode: 0,
    OOMKilled: false,
    StartedAt: '2026-01-01T00:00:00.5Z',
    FinishedAt: '2026-01-01T00:00:05Z',
    ...state,
  }
  return {
    State: full,
    Config: { Labels: { 'workly/timeout-seconds': '10' } },
    HostConfig: { Memory: 64 * 1024 ** 2 },
  } as unknown as ContainerInspectInfo
}

describe('what Docker records of a container', () => {
  it.each([
    [{ Status: 'running', Running: true, FinishedAt: NEVER }],
    [{ Status: 'paused', Running: true, Paused: true, FinishedAt: NEVER }],
    [{ Status: 'created', StartedAt: NEVER, FinishedAt: NEVER }],
  ])('%j is no end', state => {
    expect(judge(container(state))).toBeNull()
  })

  it.each([
    [{}, 'ok', null],
    [{ ExitCode: 3 }, 'container_exit', 'code 3.'],
    [{ ExitCode: 137 }, 'container_exit', 'SIGKILL'],
    [{ ExitCode: 137, OOMKilled: true }, 'container_exit', 'limit is 64Mi'],
    [{ OOMKilled: true }, 'ok', null],
    [{ ExitCode: 137, FinishedAt: '2026-01-01T00:00:10.5Z' }, 'timeout', '10 s'],
    [{ ExitCode: 0, FinishedAt: '2026-01-01T00:00:20Z' }, 'timeout', '10 s'],
    [{ ExitCode: 1, FinishedAt: '2026-01-01T00:00:10.4Z' }, 'container_exit', 'code 1'],
    [{ Status: 'removing' }, 'evicted', 'someone else'],
  ])('%j is %s', (state, expected, words) => {
    const verdict = judge(container(state))
    expect(verdict?.class).toBe(expected)
    if (words === null) expect(verdict?.message).toBeNull()
    else expect(verdict?.message).toContain(words)
  })

  it("a start that failed is the command's fault or the engine's", () => {
    const failedStart = { Status: 'created', StartedAt: NEVER, FinishedAt: NEVER, ExitCode: 127 }
    const fault = 'OCI runtime create failed: exec: "/x": stat /x: no such file or directory: unknown'
    expect(judge(container({ ...failedStart, Error: fault }))).toMatchObject({
      class: 'container_config',
      message: 'The container could not be started: exec: "/x": stat /x: no such file or directory',
    })
    expect(judge(container({ ...failedStart, Error: 'network lan not found' }))).toMatchObject({
      class: 'executor',
    })
    expect(awaitsStart(container({ ...failedStart, Error: fault }))).toBe(false)
    expect(awaitsStart(container(failedStart))).toBe(true)
  })
})
