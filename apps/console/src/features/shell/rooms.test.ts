import { expect, it } from 'vitest'
import { roomsOf } from './rooms.ts'

const scope = { organization: 'acme', project: 'main' }
const here = (path: string, kind: string | null = null) =>
  roomsOf(scope, `/acme/main/${path}`, kind)
    .flatMap(group => group.rooms)
    .filter(room => room.isHere)
    .map(room => room.name)

it('marks one room, wherever one is', () => {
  expect(here('jobs')).toEqual(['Jobs'])
  expect(here('jobs/nightly/edit')).toEqual(['Jobs'])
  expect(here('new-job')).toEqual(['Jobs'])
  expect(here('runs/run_1')).toEqual(['Runs'])
  expect(here('signing-secrets')).toEqual(['Signing secrets'])
  expect(here('members')).toEqual(['Members'])
})

it('marks the browser of a kind, and no other, while the list is narrowed to it', () => {
  expect(here('jobs', 'pipeline')).toEqual(['Pipelines'])
  expect(here('jobs/nightly', 'pipeline')).toEqual(['Jobs'])
  expect(here('jobs', 'nonsense')).toEqual(['Jobs'])
})
