import type { StoredImage } from '../job/stored-request.ts'

/** Where a container is, in the words of its executor. */
export interface ContainerPlace {
  executor: 'docker' | 'kubernetes'
  namespace: string
  name: string
}

/** Names the container of an attempt before it is made; throws when an id is none of Workly's. */
export type PlaceOf = (attempt: { organizationId: string; attemptId: string }) => ContainerPlace

/** A container as the worker that watches it knows it, from before its making until it is gone. */
export interface WatchedContainer {
  handle_id: string
  organization_id: string
  project_id: string
  run_id: string
  attempt_id: string
  /** The step of a pipeline; null otherwise. */
  step_id: string | null
  place: ContainerPlace
  /** What is run; null once its run has been removed, and then the container is only to be removed. */
  request: StoredImage | null
  /** The server key that its callback's token is made with. */
  callback_key_id: string | null
  /** Whether its executor is known to have made it. */
  is_started: boolean
  /** Nothing more is expected of it. */
  is_removing: boolean
}
