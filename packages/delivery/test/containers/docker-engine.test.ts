import Dockerode from 'dockerode'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { createOptions } from '../../src/docker/create-options.ts'
import { DockerExecutor } from '../../src/docker.ts'
import type { ContainerRef, ImageExecutor, ImageSpec } from '../../src/image.ts'
import { imageReference } from '../../src/image-reference.ts'
import { BOX } from '../docker-engine.ts'
import { CallbackTarget } from './callback-target.ts'
import { type DockerHarness, dockerHarness } from './docker-harness.ts'
import { never, REPORT_AND_WAIT, script } from './harness.ts'
import { runOnce } from './scenarios.ts'

describe('images on an engine', () => {
  let harness: DockerHarness
  let target: CallbackTarget
  let executor: ImageExecutor
  let docker: Dockerode

  beforeAll(async () => {
    harness = await dockerHarness()
    target = await CallbackTarget.open()
    executor = harness.executor()
    docker = new Dockerode({ socketPath: inject('dockerSocket') })
  })
  afterAll(async () => {
    await executor?.close()
    await target?.close()
    await harness?.close()
  })

  it('the deadline counts from the start, also for a watcher that came later', async () => {
    const spec = script(target, 'wget -qO- $callbackUri; trap "exit 0" TERM; sleep 60 & wait', {
      timeoutSeconds: 3,
    })
    const first = harness.executor()
    const { ref } = await first.start(spec, never)
    await target.called(spec.attemptId)
    await first.close()
    const outcome = await executor.wait(ref, { signal: never })
    expect(outcome).toMatchObject({ class: 'timeout', exitCode: 0 })
    const { State: state } = await docker.getContainer(ref.name).inspect()
    const ranMs = Date.parse(state.FinishedAt) - Date.parse(state.StartedAt)
    expect(ranMs).toBeGreaterThanOrEqual(3000)
    expect(ranMs).toBeLessThan(10_000)
    await executor.remove(ref, never)
  })

  it('a container that went past its deadline while nobody watched fails as timeout all the same', async () => {
    const spec = script(target, 'sleep 1.5; exit 0', { timeoutSeconds: 1 })
    const { ref } = await executor.start(spec, never)
    await docker.getContainer(ref.name).wait()
    expect(await executor.wait(ref, { signal: never })).toMatchObject({ class: 'timeout' })
    await executor.remove(ref, never)
  })

  /** Makes the container of an attempt as a worker does that dies before it starts it. */
  async function makeOnly(spec: ImageSpec): Promise<ContainerRef> {
    await runOnce(executor, script(target, 'true', { organizationId: spec.organizationId }))
    const ref = executor.refFor(spec)
    const settings = {
      installation: 'default',
      limits: { cpus: 1, memoryBytes: 64 * 1024 ** 2 },
      network: 'host',
    }
    const image = imageReference(inject('registry'), spec)
    await docker.createContainer(createOptions(spec, ref, image, {}, settings))
    return ref
  }

  it('a container that was made before a crash and not started is started by its adopter', async () => {
    const adopter = harness.executor({ adoptAfterMs: 1000 })
    const spec = script(target, 'wget -qO- $callbackUri')
    const ref = await makeOnly(spec)
    expect(await adopter.start(spec, never)).toEqual({ started: true, ref, adopted: true })
    expect(await adopter.wait(ref, { signal: never })).toMatchObject({ class: 'ok' })
    expect(target.count(spec.attemptId)).toBe(1)
    await adopter.remove(ref, never)
    await adopter.close()
  })

  it('a worker that finds a container newly made by another leaves the start to that one', async () => {
    const spec = script(target, 'wget -qO- $callbackUri')
    const ref = await makeOnly(spec)
    expect(await executor.start(spec, never)).toEqual({ started: true, ref, adopted: true })
    const waiting = executor.wait(ref, { signal: never })
    const [found] = (await executor.list(never)).filter(({ attemptId }) => attemptId === spec.attemptId)
    expect(found).toBeDefined()
    expect((await docker.getContainer(ref.name).inspect()).State.Status).toBe('created')
    await docker.getContainer(ref.name).start()
    expect(await waiting).toMatchObject({ class: 'ok' })
    expect(target.count(spec.attemptId)).toBe(1)
    await executor.remove(ref, never)
  })

  it('a maker that was held up starts nothing, so that two never start the same container', async () => {
    const slow = harness.executor({ adoptAfterMs: 0 })
    const spec = script(target, 'wget -qO- $callbackUri')
    const { ref } = await slow.start(spec, never)
    expect((await docker.getContainer(ref.name).inspect()).State.Status).toBe('created')
    expect(await slow.wait(ref, { signal: never })).toMatchObject({ class: 'ok' })
    expect(target.count(spec.attemptId)).toBe(1)
    await slow.remove(ref, never)
    await slow.close()
  })

  it('an image that runs as another user can write to /data', async () => {
    await runOnce(executor, script(target, 'true'))
    const { id } = await docker.createContainer({
      Image: imageReference(inject('registry'), BOX),
      Cmd: ['true'],
    })
    const container = docker.getContainer(id)
    await container.commit({ repo: `${inject('registry')}/team/user`, tag: '1', changes: 'USER 1234' })
    await container.remove()
    const outcome = await runOnce(
      executor,
      script(target, 'id -u; touch /data/x && ls /data', { name: 'team/user' }),
    )
    expect(outcome).toMatchObject({ class: 'ok', log: '1234\nx\n' })
  })

  it('a container is bounded in processor, memory, processes and log, and never restarted', async () => {
    const spec = script(target, REPORT_AND_WAIT)
    const { ref } = await executor.start(spec, never)
    await target.called(spec.attemptId)
    const { HostConfig } = await docker.getContainer(ref.name).inspect()
    expect(HostConfig).toMatchObject({
      NanoCpus: 1e9,
      Memory: 64 * 1024 ** 2,
      MemorySwap: 64 * 1024 ** 2,
      PidsLimit: 1024,
      Privileged: false,
      CapDrop: ['ALL'],
      SecurityOpt: ['no-new-privileges'],
      RestartPolicy: { Name: 'no' },
      LogConfig: { Type: 'json-file', Config: { 'max-size': '5m', 'max-file': '2' } },
    })
    await runOnce(executor, script(target, 'touch /data/go', { organizationId: spec.organizationId }))
    expect(await executor.wait(ref, { signal: never })).toMatchObject({ class: 'ok' })
    await executor.remove(ref, never)
  })

  it('an engine that is not there is out of reach, not a refusal', async () => {
    const nowhere = new DockerExecutor({
      engine: { socketPath: '/nowhere/docker.sock' },
      registry: '',
      configDir: null,
      patienceMs: 100,
    })
    const started = await nowhere.start(script(target, 'true'), never)
    expect(started).toMatchObject({ outcome: { class: 'executor', refused: false } })
    expect(started).toMatchObject({ outcome: { message: expect.stringContaining('/nowhere/docker.sock') } })
    await nowhere.close()
  })
})
