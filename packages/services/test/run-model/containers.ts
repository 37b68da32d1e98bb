import fc from 'fast-check'
import { adoptContainers } from '../../src/container/adopt-containers.ts'
import { beginContainers } from '../../src/container/begin-containers.ts'
import { containerGone } from '../../src/container/container-gone.ts'
import { containerStarted } from '../../src/container/container-started.ts'
import { type ContainerEnd, endContainer } from '../../src/container/end-container.ts'
import { exits, failsAs, placeOf } from '../containers.ts'
import type { FetchedTask } from '../pretend-worker.ts'
import { pick, step } from './command.ts'
import { checkEnded } from './ended-call.ts'
import { Broken, type ModelContainer, type ModelWorker, waitsForCallback } from './scene.ts'
import type { HandleRow, Snapshot } from './snapshot.ts'
import type { World } from './world.ts'

/** How a container may end, and whether that is retried. */
const ENDS: readonly (readonly [string, ContainerEnd, boolean])[] = [
  ['0', exits(0), true],
  ['1', exits(1), true],
  ['for want of a secret', failsAs('container_config'), false],
]

/** Begins the containers of tasks; @returns their runs */
export async function beginImages(
  world: World,
  worker: ModelWorker,
  tasks: FetchedTask[],
): Promise<string[]> {
  const { services, sql } = world.desk
  const begun = await beginContainers(services, worker.hands.id, tasks, placeOf, world.desk.now())
  for (const container of begun) {
    const { handle_id, attempt_id, request, place: _, ...rest } = container
    const [row] = await sql<
      { number: number; job_id: string; job_name: string; scheduled_for: Date; fence: number }[]
    >`
      select a.number, a.fence, r.job_id, r.scheduled_for, j.name as job_name
      from attempts a join runs r on r.id = a.run_id join jobs j on j.id = r.job_id where a.id = ${attempt_id}`
    if (!row || request === null) throw new Broken('a container has begun without its attempt')
    const call = { ...rest, ...row, attempt_id, request, worker, outcome: null, reported: null }
    world.calls.set(attempt_id, call)
    world.containers.push({ handle_id, call, worker, isStarted: false, isEnded: false })
  }
  return begun.map(container => container.run_id)
}

/** The handle as it stands, if that watcher has it. */
function heldBy(now: Snapshot, { handle_id, worker }: ModelContainer): HandleRow | null {
  const handle = now.handles.get(handle_id)
  return handle?.gone_at === null && handle.worker_id === worker.hands.id ? handle : null
}

async function startContainer(world: World, n: number): Promise<void> {
  const container = pick(
    world.containers.filter(c => !c.isStarted),
    n,
  )
  if (!container) return
  const held = heldBy(world.last, container)
  const expected = held === null ? 'not ours' : held.removing_since === null ? 'goes on' : 'to be removed'
  await world.step(`container of ${container.call.attempt_id} is made`, {}, async () => {
    const { handle_id, worker } = container
    const said = await containerStarted(world.desk.services, worker.hands.id, handle_id, world.desk.now())
    if (said !== expected) throw new Broken(`a container that was made ${said}, and should be: ${expected}`)
    container.isStarted = said !== 'not ours'
  })
}

export async function endOne(world: World, n: number, how: number): Promise<void> {
  const container = pick(
    world.containers.filter(c => !c.isEnded),
    n,
  )
  const [told, end, isRetried] = ENDS[how] ?? ENDS[0] ?? ['', exits(0), true]
  if (!container) return
  const { call } = container
  const before = world.last
  const held = heldBy(before, container)
  const isOpen = before.runs.get(call.run_id)?.current_attempt_id === call.attempt_id
  const decides = held?.removing_since === null && isOpen
  const now = await world.step(`container of ${call.attempt_id} ends with ${told}`, {}, async () => {
    const { handle_id, worker } = container
    const isOurs = await endContainer(world.desk.services, worker.hands.id, handle_id, end, world.desk.now())
    if (isOurs !== (held !== null)) throw new Broken(`a container's end was taken: ${isOurs}`)
    container.isEnded = isOurs
    if (decides) call.outcome = end.class === 'ok' ? 'accepted ok' : 'accepted failure'
  })
  if (decides && !(end.class === 'ok' && waitsForCallback(call))) {
    checkEnded(world, before, now, call, { isOk: end.class === 'ok', isRetried })
  } else if (now.runs.get(call.run_id)?.state !== before.runs.get(call.run_id)?.state) {
    throw new Broken('the end of a container that decides nothing moved its run')
  }
}

/** What is to be removed goes, however its watcher came to it. */
export async function removeOne(world: World, n: number): Promise<void> {
  const container = pick(
    world.containers.filter(c => world.last.handles.get(c.handle_id)?.removing_since != null),
    n,
  )
  if (!container) return
  await world.step(`container of ${container.call.attempt_id} is gone`, {}, async () => {
    await containerGone(world.desk.services, container.handle_id, world.desk.now())
    world.containers = world.containers.filter(other => other !== container)
  })
}

/** A worker takes over what nobody watches, and all of it. */
export async function adoptAll(world: World, w: number): Promise<void> {
  const worker = pick(world.workers, w)
  if (!worker) return
  const before = world.last
  const now = await world.step(`worker ${w} adopts`, {}, async () => {
    const held = world.containers.filter(c => c.worker === worker).map(c => c.handle_id)
    const adopter = { workerId: worker.hands.id, executor: 'docker' as const, held }
    for (const { handle_id } of await adoptContainers(world.desk.services, adopter, 1000)) {
      const container = world.containers.find(c => c.handle_id === handle_id)
      if (!container) throw new Broken('a container was adopted that is gone')
      if (!isGone(before, before.handles.get(handle_id)?.worker_id))
        throw new Broken('a container was taken from a worker that lives')
      container.worker = worker
    }
  })
  for (const handle of now.handles.values())
    if (handle.gone_at === null && isGone(now, handle.worker_id))
      throw new Broken('a container was left without a watcher')
}

function isGone(now: Snapshot, workerId: string | null | undefined): boolean {
  const worker = now.workers.get(workerId ?? '')
  return !worker || worker.stopped_at !== null || worker.lost_at !== null
}

/** All containers that there are end alike, and go. */
export async function endAll(world: World, how: number): Promise<number> {
  const all = [...world.containers]
  for (const container of all) await startContainer(world, world.containers.indexOf(container))
  for (const _ of all) await endOne(world, 0, how)
  for (const _ of all) await removeOne(world, 0)
  return all.length
}

const number = fc.nat(7)
const worker = fc.nat(1)

/** What may happen to containers. */
export const CONTAINER_COMMANDS = [
  number.map(n => step(`container ${n} is made`, world => startContainer(world, n))),
  ...[0, 1, 2].map(how =>
    number.map(n => step(`container ${n} ends with ${ENDS[how]?.[0]}`, world => endOne(world, n, how))),
  ),
  number.map(n => step(`container ${n} is gone`, world => removeOne(world, n))),
  number.map(n => step(`container ${n} is gone`, world => removeOne(world, n))),
  worker.map(w => step(`worker ${w} adopts`, world => adoptAll(world, w))),
]
