import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ContainerOutcome, ImageExecutor, ImageSpec } from '../../src/image.ts'
import { CallbackTarget } from './callback-target.ts'
import { type Harness, never, newOrganization, REPORT_AND_WAIT, script } from './harness.ts'

/** Runs an attempt from start to removal, as a worker does. */
export async function runOnce(executor: ImageExecutor, spec: ImageSpec): Promise<ContainerOutcome> {
  const started = await executor.start(spec, never)
  const outcome = started.started ? await executor.wait(started.ref, { signal: never }) : started.outcome
  await executor.remove(started.ref, never)
  return outcome
}

/** Lets a container that waits in this organization go on. */
async function letGo(executor: ImageExecutor, target: CallbackTarget, spec: ImageSpec): Promise<string> {
  const { organizationId } = spec
  const outcome = await runOnce(
    executor,
    script(target, 'touch /data/go; cat /data/starts', { organizationId }),
  )
  return outcome.log ?? ''
}

/** What holds for every executor, told by what containers and their owners see. */
export function describeExecutor(name: string, open: () => Promise<Harness>): void {
  describe(`images on ${name}`, () => {
    let harness: Harness
    let target: CallbackTarget
    let executor: ImageExecutor

    beforeAll(async () => {
      harness = await open()
      target = await CallbackTarget.open()
      executor = harness.executor()
    })

    afterAll(async () => {
      await executor?.close()
      await target?.close()
      await harness?.close()
    })

    describeEnds()
    describeEnvironment()
    describeWatching()

    function describeEnds() {
      it('a container that exits 0 succeeds, with its log, and is removed', async () => {
        const spec = script(target, 'echo out; echo err >&2; wget -qO- $callbackUri')
        const { log, ...outcome } = await runOnce(executor, spec)
        expect(outcome).toEqual({
          class: 'ok',
          exitCode: 0,
          message: null,
          logIsCut: false,
          refused: false,
        })
        // Nothing orders what is written to two pipes.
        expect(log?.split('\n').toSorted()).toEqual(['', 'err', 'ok', 'out'])
        expect(target.count(spec.attemptId)).toBe(1)
        expect(await harness.exists(executor.refFor(spec))).toBe(false)
      })

      it('another exit code fails as container_exit and is told', async () => {
        const outcome = await runOnce(executor, script(target, 'echo no luck; exit 3'))
        expect(outcome).toMatchObject({ class: 'container_exit', exitCode: 3, log: 'no luck\n' })
        expect(outcome.message).toContain('code 3')
      })

      it('an image that the registry does not have fails as image_pull and names it', async () => {
        const outcome = await runOnce(executor, script(target, 'true', { name: 'team/absent' }))
        expect(outcome).toMatchObject({ class: 'image_pull', exitCode: null, log: null })
        expect(outcome.message).toMatch(/team\/absent:1.*manifest unknown/s)
      })

      it.each(['evil.example/box', 'Team/Box', 'team/box:1'])(
        'the name %s is refused as container_config',
        async bad => {
          const spec = script(target, 'true', { name: bad })
          const started = await executor.start(spec, never)
          expect(started).toMatchObject({
            started: false,
            outcome: { class: 'container_config', exitCode: null },
          })
          expect(await harness.exists(started.ref)).toBe(false)
        },
      )

      it('a secret that is not there fails as container_config and is named', async () => {
        const outcome = await runOnce(executor, script(target, 'true', { envFrom: [{ secret: 'db-login' }] }))
        expect(outcome.class).toBe('container_config')
        expect(outcome.message).toContain('"db-login"')
      })

      it('a command that the image does not have fails as container_config', async () => {
        const outcome = await runOnce(executor, script(target, '', { command: ['/no/such/program'] }))
        expect(outcome.class).toBe('container_config')
        expect(outcome.message).toContain('/no/such/program')
      })

      it('a container that does not end in time is ended, and fails as timeout', async () => {
        const spec = script(target, 'echo begun; trap "exit 0" TERM; sleep 60 & wait', { timeoutSeconds: 2 })
        const outcome = await runOnce(executor, spec)
        expect(outcome.class).toBe('timeout')
        expect(outcome.message).toContain('2 s')
        expect(await harness.exists(executor.refFor(spec))).toBe(false)
      })

      it('a container that takes too much memory fails as container_exit and says so', async () => {
        const outcome = await runOnce(executor, script(target, 'a=x; while :; do a=$a$a; done'))
        expect(outcome.class).toBe('container_exit')
        expect(outcome.message).toMatch(/out of memory.*64Mi/)
      })

      it('a container that someone else removes fails as evicted', async () => {
        const spec = script(target, `trap "exit 0" TERM; wget -qO- $callbackUri; sleep 60 & wait`)
        const { ref } = await executor.start(spec, never)
        const waiting = executor.wait(ref, { signal: never })
        await target.called(spec.attemptId)
        await harness.removeFromOutside(ref)
        expect(await waiting).toMatchObject({ class: 'evicted', refused: false })
        await executor.remove(ref, never)
        expect(await harness.exists(ref)).toBe(false)
      })

      it('the last 64 KiB of a long log are kept, or as many as are asked for', async () => {
        // 20,000 lines of six characters, and one without an end.
        const text = 'i=10000; while [ $i -lt 30000 ]; do echo $i; i=$((i+1)); done; printf "é end"'
        const { ref } = await executor.start(script(target, text), never)
        const { log } = await executor.wait(ref, { signal: never })
        expect(Buffer.byteLength(log ?? '')).toBe(65_536)
        expect(log?.endsWith('29998\n29999\né end')).toBe(true)
        expect(await executor.logs(ref, { signal: never, keepLogBytes: 17 })).toBe('9998\n29999\né end')
        expect(await executor.logs(ref, { signal: never, keepLogBytes: 1_000_000 })).toMatch(
          /^10000\n10001\n/,
        )
        await executor.remove(ref, never)
        expect(await executor.logs(ref, { signal: never })).toBeNull()
      })
    }

    function describeEnvironment() {
      it.each([
        ['what is no text', 'printf "\\377a\\000b\\n"', 5, '\uFFFDa\uFFFDb\n'],
        ['nothing but line ends', 'printf "\\n\\n\\n\\n\\n"', 5, '\n\n\n\n\n'],
      ])('a log of %s is kept, and cut where it is too long', async (_, text, bytes, log) => {
        const { ref } = await executor.start(script(target, text), never)
        const wait = (keepLogBytes: number) => executor.wait(ref, { signal: never, keepLogBytes })
        // The log of Docker's own keeps U+FFFD, of three bytes, for what is no text.
        expect(await wait(bytes + 2)).toMatchObject({ log, logIsCut: false })
        expect(await wait(bytes - 1)).toMatchObject({ logIsCut: true })
        await executor.remove(ref, never)
      })

      it('secrets and config maps become variables, with their prefix; env wins, and all is literal', async () => {
        const organizationId = newOrganization()
        await harness.putConfig(organizationId, 'secret', 'db', { PASSWORD: 'a$(HOME)b$$c', BOTH: 'secret' })
        await harness.putConfig(organizationId, 'configMap', 'conf', { LEVEL: '1', BOTH: 'config' })
        const spec = script(target, '', {
          organizationId,
          command: ['sh', '-c', 'env | grep ^T_ | sort; echo "$0" $callbackUri'],
          args: ['$(T_OWN) $$'],
          env: { T_OWN: '$(T_LEVEL) $$ $(', T_WINS: 'env', callbackUri: 'mine' },
          envFrom: [
            { secret: 'db', prefix: 'T_' },
            { configMap: 'conf', prefix: 'T_' },
            { configMap: 'conf', prefix: 'T_WINS_' },
          ],
        })
        expect(await runOnce(executor, spec)).toMatchObject({
          class: 'ok',
          log: [
            'T_BOTH=config',
            'T_LEVEL=1',
            'T_OWN=$(T_LEVEL) $$ $(',
            'T_PASSWORD=a$(HOME)b$$c',
            'T_WINS=env',
            'T_WINS_BOTH=config',
            'T_WINS_LEVEL=1',
            `$(T_OWN) $$ ${target.url(spec.attemptId)}`,
            '',
          ].join('\n'),
        })
      })

      it('/data is kept for the containers of one organization, and no other sees it', async () => {
        const organizationId = newOrganization()
        await runOnce(executor, script(target, 'echo mine > /data/file', { organizationId }))
        const again = await runOnce(executor, script(target, 'cat /data/file', { organizationId }))
        expect(again.log).toBe('mine\n')
        const other = await runOnce(executor, script(target, 'ls -A /data; echo none'))
        expect(other.log).toBe('none\n')
      })

      it("another organization's secret of the same name is not found", async () => {
        const [mine, theirs] = [newOrganization(), newOrganization()]
        await harness.putConfig(theirs, 'secret', 'db', { PASSWORD: 'theirs' })
        const spec = script(target, 'env', { organizationId: mine, envFrom: [{ secret: 'db' }] })
        expect(await runOnce(executor, spec)).toMatchObject({ class: 'container_config', log: null })
      })

      it('a container has no capabilities and can gain none', async () => {
        const outcome = await runOnce(
          executor,
          script(target, 'grep -E "Cap(Eff|Bnd)|NoNewPrivs" /proc/self/status'),
        )
        expect(outcome.log?.replace(/\s+/g, ' ')).toBe(
          'CapEff: 0000000000000000 CapBnd: 0000000000000000 NoNewPrivs: 1 ',
        )
      })
    }

    function describeWatching() {
      it('a removal ends a wait as cancelled, and resolves when nothing is left', async () => {
        const spec = script(target, 'echo going; trap "exit 0" TERM; wget -qO- $callbackUri; sleep 60 & wait')
        const { ref } = await executor.start(spec, never)
        const waiting = executor.wait(ref, { signal: never })
        await target.called(spec.attemptId)
        await executor.remove(ref, never)
        expect(await harness.exists(ref)).toBe(false)
        expect(await waiting).toMatchObject({ class: 'cancelled', log: expect.stringContaining('going') })
        await executor.remove(ref, never)
      })

      it('another worker adopts what one started, and it runs once', async () => {
        const spec = script(target, REPORT_AND_WAIT)
        const first = harness.executor()
        const { ref } = await first.start(spec, never)
        const end = new AbortController()
        const waiting = first.wait(ref, { signal: end.signal })
        await target.called(spec.attemptId)
        end.abort(new Error('the worker stops'))
        await expect(waiting).rejects.toThrow('the worker stops')
        await first.close()
        expect(await executor.start(spec, never)).toEqual({ started: true, ref, adopted: true })
        const adopted = executor.wait(ref, { signal: never })
        expect(await letGo(executor, target, spec)).toBe('started\n')
        expect(await adopted).toMatchObject({ class: 'ok', exitCode: 0 })
        // Also after its end, nothing is started again.
        expect(await executor.start(spec, never)).toEqual({ started: true, ref, adopted: true })
        expect(await executor.wait(ref, { signal: never })).toMatchObject({ class: 'ok' })
        expect(target.count(spec.attemptId)).toBe(1)
        await executor.remove(ref, never)
      })

      it('of two workers that start the same attempt at once, one adopts', async () => {
        const spec = script(target, 'wget -qO- $callbackUri')
        const others = [harness.executor(), harness.executor()]
        const started = await Promise.all(others.map(other => other.start(spec, never)))
        expect(started.filter(result => result.started)).toHaveLength(2)
        const outcomes = await Promise.all(
          others.map((other, i) => other.wait(started[i]?.ref ?? executor.refFor(spec), { signal: never })),
        )
        expect(outcomes.map(outcome => outcome.class)).toEqual(['ok', 'ok'])
        expect(target.count(spec.attemptId)).toBe(1)
        await executor.remove(executor.refFor(spec), never)
        for (const other of others) await other.close()
      })

      it("what is not Workly's under an attempt's name is neither adopted nor removed", async () => {
        const spec = script(target, 'true')
        const ref = executor.refFor(spec)
        await harness.takeName(ref, spec.organizationId)
        const started = await executor.start(spec, never)
        expect(started).toMatchObject({ started: false, outcome: { class: 'executor', refused: true } })
        await expect(executor.remove(ref, never)).rejects.toThrow('left alone')
        expect(await harness.exists(ref)).toBe(true)
        await harness.removeFromOutside(ref)
      })

      it('a container that ends while nobody answers is judged afterwards', async () => {
        const spec = script(target, 'wget -qO- $callbackUri; sleep 0.5; exit 4')
        const { ref } = await executor.start(spec, never)
        const waiting = executor.wait(ref, { signal: never })
        await target.called(spec.attemptId)
        await harness.away()
        // A start meanwhile waits too.
        const late = executor.start(script(target, 'true'), never)
        await expect(harness.executor({ patienceMs: 300 }).list(never)).rejects.toMatchObject({
          refused: false,
        })
        await harness.back()
        expect(await waiting).toMatchObject({ class: 'container_exit', exitCode: 4 })
        await executor.remove(ref, never)
        const started = await late
        expect(started.started).toBe(true)
        await executor.remove(started.ref, never)
      })

      it('one that is away for longer fails attempts as executor, to be retried', async () => {
        const impatient = harness.executor({ patienceMs: 300 })
        const spec = script(target, REPORT_AND_WAIT)
        const { ref } = await impatient.start(spec, never)
        const waiting = impatient.wait(ref, { signal: never })
        await target.called(spec.attemptId)
        await harness.away()
        expect(await waiting).toMatchObject({ class: 'executor', refused: false, log: null })
        const started = await impatient.start(script(target, 'true'), never)
        expect(started).toMatchObject({ started: false, outcome: { class: 'executor', refused: false } })
        await expect(impatient.remove(ref, never)).rejects.toMatchObject({ refused: false })
        await harness.back()
        await impatient.close()
        await letGo(executor, target, spec)
        await executor.remove(ref, never)
      })

      it('containers left behind are listed with their attempt, those of another installation are not', async () => {
        const spec = script(target, 'true')
        const { ref } = await executor.start(spec, never)
        const other = harness.executor({ installation: 'other' })
        const found = await executor.list(never)
        expect(found.filter(({ attemptId }) => attemptId === spec.attemptId)).toEqual([
          {
            ref,
            organizationId: spec.organizationId,
            runId: spec.runId,
            attemptId: spec.attemptId,
            createdAt: expect.any(Date),
          },
        ])
        expect(await other.list(never)).toEqual([])
        await expect(other.remove(ref, never)).rejects.toMatchObject({ refused: true })
        await executor.remove(ref, never)
        expect((await executor.list(never)).some(({ attemptId }) => attemptId === spec.attemptId)).toBe(false)
        await other.close()
      })

      it('a wait for what is not there says that it is gone, and a closed executor ends its waits', async () => {
        const ref = executor.refFor(script(target, 'true'))
        expect(await executor.wait(ref, { signal: never })).toMatchObject({ class: 'evicted', log: null })
        const closing = harness.executor()
        const spec = script(target, REPORT_AND_WAIT)
        const { ref: going } = await closing.start(spec, never)
        const waiting = closing.wait(going, { signal: never })
        await target.called(spec.attemptId)
        await closing.close()
        await expect(waiting).rejects.toThrow('closed')
        await letGo(executor, target, spec)
        await executor.remove(going, never)
      })

      it("another executor's container is refused", async () => {
        const kind = harness.kind === 'docker' ? 'kubernetes' : 'docker'
        const ref = { ...executor.refFor(script(target, 'true')), executor: kind } as const
        expect(await executor.wait(ref, { signal: never })).toMatchObject({
          class: 'executor',
          refused: true,
        })
        await expect(executor.remove(ref, never)).rejects.toMatchObject({ refused: true })
      })
    }
  })
}
