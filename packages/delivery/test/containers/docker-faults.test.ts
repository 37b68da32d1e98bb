import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Dockerode from 'dockerode'
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest'
import type { DockerExecutor } from '../../src/docker.ts'
import { BOX } from '../docker-engine.ts'
import { CallbackTarget } from './callback-target.ts'
import { type DockerHarness, dockerHarness } from './docker-harness.ts'
import { FaultProxy, type FaultyAnswer, type Verb } from './fault-proxy.ts'
import { never, script } from './harness.ts'
import { runOnce } from './scenarios.ts'

/** What a start asks for, in order. */
const OF_START: Verb[] = ['inspect', 'findImage', 'makeVolume', 'create', 'openData', 'start']
const EVERY: Verb[] = [...OF_START, 'info', 'wait', 'logs', 'list', 'stop', 'remove']
const RAN = 'wget -qO- $callbackUri'
const LETS_STOP = 'trap "exit 0" TERM; wget -qO- $callbackUri; sleep 60 & wait'
const LONG = { timeout: 90_000 }
const FORBIDDEN = { status: 403, message: 'authorization denied by plugin' }
const BUSY = { status: 503, message: 'the engine is busy' }

function throughProxy({ port }: FaultProxy) {
  return {
    engine: { host: '127.0.0.1', port, protocol: 'http' as const },
    answerMs: 1500,
    adoptAfterMs: 1000,
  }
}

describe("an engine of Docker's that refuses, stumbles or answers nonsense", () => {
  let harness: DockerHarness
  let proxy: FaultProxy
  let target: CallbackTarget
  let executor: DockerExecutor
  let impatient: DockerExecutor

  beforeAll(async () => {
    harness = await dockerHarness()
    proxy = await FaultProxy.open(inject('dockerSocket'))
    target = await CallbackTarget.open()
    executor = harness.executor(throughProxy(proxy))
    impatient = harness.executor({ ...throughProxy(proxy), patienceMs: 400, pullPatienceMs: 400 })
    await runOnce(executor, script(target, 'true'))
  })
  afterEach(() => proxy.clear())
  afterAll(async () => {
    await executor?.close()
    await impatient?.close()
    await target?.close()
    await proxy?.close()
    await harness?.close()
  })

  /** All that is done with a container, each of whose calls may be answered wrongly. */
  async function live(own: DockerExecutor): Promise<void> {
    const spec = script(target, RAN)
    const { ref, ...started } = await own.start(spec, never)
    expect(started).toMatchObject({ started: true })
    expect(await own.wait(ref, { signal: never })).toMatchObject({ class: 'ok' })
    expect(target.count(spec.attemptId)).toBe(1)
    const listed = await own.list(never)
    expect(listed.filter(({ attemptId }) => attemptId === spec.attemptId)).toHaveLength(1)
    await own.remove(ref, never)
    expect(await harness.exists(ref)).toBe(false)
  }

  // Each with a proxy of its own, since most of it is waiting.
  it.concurrent.each<[string, FaultyAnswer, Verb[]]>([
    // A removal that is told that there is no such container is over.
    ['404', { status: 404, message: 'no such thing' }, EVERY.filter(verb => verb !== 'remove')],
    ['409', { status: 409, message: 'in the way' }, EVERY],
    ['429', { status: 429, message: 'too many' }, EVERY],
    ['500', { status: 500, message: 'a fault' }, EVERY],
    ['503', BUSY, EVERY],
    ['an answer cut in the middle', 'cut', EVERY],
    ['a connection that breaks when it is done', 'dropped', EVERY],
    ['what is no JSON', { garbage: '<html>welcome</html>' }, EVERY],
    ['JSON of something else', { garbage: '{"welcome": true}' }, EVERY],
  ])('%s to each call once loses nothing, and starts nothing twice', LONG, async (_, answer, verbs) => {
    const own = await FaultProxy.open(inject('dockerSocket'))
    const through = harness.executor(throughProxy(own))
    for (const verb of verbs) own.order(verb, answer, 1)
    await live(through)
    const met = new Set(own.calls)
    expect(OF_START.filter(verb => !met.has(verb))).toEqual([])
    await through.close()
    await own.close()
  })

  it.each(OF_START.flatMap(verb => [401, 403].map(status => [status, verb] as const)))(
    '%i to %s fails as executor at once, refused, says what to do and is not asked again',
    async (status, verb) => {
      proxy.order(verb, { status, message: 'denied by plugin' })
      const spec = script(target, RAN)
      const started = await executor.start(spec, never)
      expect(started).toMatchObject({
        started: false,
        outcome: {
          class: 'executor',
          refused: true,
          message: expect.stringMatching(/denied by plugin.*Let Workly's workers through/),
        },
      })
      expect(proxy.calls.filter(call => call === verb)).toHaveLength(1)
      expect(target.count(spec.attemptId)).toBe(0)
      proxy.clear()
      await executor.remove(started.ref, never)
      expect(await harness.exists(started.ref)).toBe(false)
    },
  )

  it.each<[string, FaultyAnswer, Verb]>([
    ...OF_START.map((verb): [string, FaultyAnswer, Verb] => ['503', BUSY, verb]),
    ['404', { status: 404, message: 'No such image' }, 'create'],
    ['409', { status: 409, message: 'in use' }, 'create'],
    ['429', { status: 429, message: 'too many requests' }, 'create'],
    ['no JSON', { garbage: 'x' }, 'inspect'],
  ])('%s to %o for longer than patience lasts fails as executor, to be retried', async (_, answer, verb) => {
    proxy.order(verb, answer)
    const spec = script(target, RAN)
    const started = await impatient.start(spec, never)
    // What was made and not started is left to its watcher, who asks as patiently.
    const outcome = started.started ? await impatient.wait(started.ref, { signal: never }) : started.outcome
    expect(outcome).toMatchObject({ class: 'executor', refused: false })
    expect(target.count(spec.attemptId)).toBe(0)
    proxy.clear()
    await executor.remove(started.ref, never)
  })

  it.each<[Verb, FaultyAnswer]>([
    ['wait', FORBIDDEN],
    ['wait', BUSY],
    ['info', FORBIDDEN],
    ['info', BUSY],
  ])('%s, which is a convenience, is done without when it is answered by %o', async (verb, answer) => {
    proxy.order(verb, answer)
    await live(executor)
  })

  it('a log that is refused is left out, and the end is told all the same', async () => {
    proxy.order('logs', FORBIDDEN)
    expect(await runOnce(executor, script(target, 'exit 3'))).toMatchObject({ exitCode: 3, log: null })
  })

  it.each<[string, FaultyAnswer, boolean]>([
    ['refused', FORBIDDEN, true],
    ['away for too long', BUSY, false],
    ['nonsense for too long', { garbage: '[]' }, false],
  ])('a wait whose looks are %s fails as executor', async (_, answer, refused) => {
    const spec = script(target, LETS_STOP)
    const { ref } = await impatient.start(spec, never)
    const waiting = impatient.wait(ref, { signal: never })
    await target.called(spec.attemptId)
    proxy.order('inspect', answer)
    // The engine says that it stopped, and then nothing of how.
    await new Dockerode({ socketPath: inject('dockerSocket') }).getContainer(ref.name).stop({ t: 1 })
    expect(await waiting).toMatchObject({ class: 'executor', refused, log: null })
    proxy.clear()
    await executor.remove(ref, never)
  })

  it('a container that cannot be asked to stop is killed by its removal', async () => {
    const spec = script(target, LETS_STOP)
    const { ref } = await executor.start(spec, never)
    await target.called(spec.attemptId)
    proxy.order('stop', FORBIDDEN)
    await executor.remove(ref, never)
    expect(await harness.exists(ref)).toBe(false)
  })

  it.each<[string, FaultyAnswer, boolean]>([
    ['refused', FORBIDDEN, true],
    ['in the way of another for too long', { status: 409, message: 'removal in progress' }, false],
    ['away for too long', BUSY, false],
  ])('a removal that is %s says so, and can be asked for again', async (_, answer, refused) => {
    const { ref } = await impatient.start(script(target, 'true'), never)
    proxy.order('remove', answer)
    await expect(impatient.remove(ref, never)).rejects.toMatchObject({ name: 'ExecutorError', refused })
    proxy.clear()
    await impatient.remove(ref, never)
    expect(await harness.exists(ref)).toBe(false)
  })

  it.each<[FaultyAnswer, boolean]>([
    [FORBIDDEN, true],
    [BUSY, false],
    [{ garbage: '{}' }, false],
    [{ garbage: 'x' }, false],
  ])('a list answered by %o is none', async (answer, refused) => {
    proxy.order('list', answer)
    await expect(impatient.list(never)).rejects.toMatchObject({ name: 'ExecutorError', refused })
  })

  describe('while it pulls an image', () => {
    let pulled: string
    let docker: Dockerode

    beforeAll(async () => {
      docker = new Dockerode({ socketPath: inject('dockerSocket') })
      pulled = `${inject('registry')}/team/pulled`
      const box = docker.getImage(`${inject('registry')}/${BOX.name}:${BOX.tag}`)
      await box.tag({ repo: pulled, tag: '1' })
      const authconfig = { username: '', password: '', serveraddress: '' }
      const pushing = await docker.getImage(`${pulled}:1`).push({ authconfig })
      await new Promise<void>((resolve, reject) =>
        docker.modem.followProgress(pushing, error => (error === null ? resolve() : reject(error))),
      )
    })

    async function forget(): Promise<void> {
      await docker.getImage(`${pulled}:1`).remove()
    }

    it.each<[string, FaultyAnswer]>([
      ['429', { status: 429, message: 'toomanyrequests' }],
      ['500', { status: 500, message: 'dial tcp: i/o timeout' }],
      ['an answer cut in the middle', 'cut'],
      ['a broken connection', 'dropped'],
      ['what is no JSON', { garbage: 'x' }],
      ['an error within the progress', { garbage: '{"error": "net/http: TLS handshake timeout"}' }],
    ])('%s is asked again, and the image is run', async (_, answer) => {
      await forget()
      proxy.order('pull', answer, 1)
      expect(await runOnce(executor, script(target, 'true', { name: 'team/pulled' }))).toMatchObject({
        class: 'ok',
      })
      expect(proxy.calls).toContain('pull')
    })

    it.each([
      [401, 'no basic auth credentials', 1],
      [403, 'requested access is denied', 1],
      [404, 'repository does not exist', 1],
      [429, 'toomanyrequests', 2],
      [500, 'dial tcp: i/o timeout', 2],
    ])('%i always fails as image_pull, with the reason', async (status, message, leastAsked) => {
      await forget()
      proxy.order('pull', { status, message })
      const outcome = await runOnce(impatient, script(target, 'true', { name: 'team/pulled' }))
      expect(outcome).toMatchObject({ class: 'image_pull', message: expect.stringContaining(message) })
      expect(proxy.calls.filter(call => call === 'pull').length).toBe(leastAsked)
      proxy.clear()
      await runOnce(executor, script(target, 'true', { name: 'team/pulled' }))
    })
  })

  it('a socket that the worker has no right to open is refused at once, and says whom to let in', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'workly-closed-'))
    const socketPath = join(folder, 'docker.sock')
    const server = createServer().listen(socketPath)
    await chmod(folder, 0o755)
    await chmod(socketPath, 0o600)
    const shut = harness.executor({ engine: { socketPath } })
    const spec = script(target, 'true')
    try {
      // Root may open any: for the moment of the call this process is nobody.
      process.seteuid?.(65_534)
      const starting = shut.start(spec, never)
      const started = await starting.finally(() => process.seteuid?.(0))
      expect(started).toMatchObject({
        outcome: {
          class: 'executor',
          refused: true,
          message: expect.stringMatching(/EACCES.*group "docker"/),
        },
      })
    } finally {
      server.close()
      await shut.close()
      await rm(folder, { recursive: true })
    }
  })

  it('a socket that is not there is waited for, and then says what to check', async () => {
    const nowhere = harness.executor({ engine: { socketPath: '/nowhere/docker.sock' }, patienceMs: 400 })
    expect(await nowhere.start(script(target, 'true'), never)).toMatchObject({
      outcome: {
        class: 'executor',
        refused: false,
        message: expect.stringMatching(
          /ENOENT \/nowhere\/docker.sock\. Check that it runs.*WORKLY_DOCKER_SOCKET/,
        ),
      },
    })
    await nowhere.close()
  })
})
