import type { Operation } from '../operation.ts'
import { pastOperations } from './backfill.ts'
import { CALLBACK_OPERATION } from './callbacks.ts'
import { jobActions } from './job-actions.ts'
import { jobOperations } from './jobs.ts'
import { MOUNTS } from './mount.ts'
import { previewOperation } from './preview.ts'
import { RUN_OPERATIONS } from './runs.ts'
import { EXECUTION_OPERATIONS } from './scheduler/executions.ts'
import { SCHEDULATION_OPERATIONS } from './scheduler/schedulations.ts'
import { testOperation } from './test-call.ts'

/** Every call of `/v1` and `/scheduler`, in the order of the document. */
export const OPERATIONS: readonly Operation[] = [
  ...MOUNTS.flatMap(mount => [
    ...jobOperations(mount),
    ...jobActions(mount),
    ...pastOperations(mount),
    previewOperation(mount),
    testOperation(mount),
  ]),
  ...RUN_OPERATIONS,
  CALLBACK_OPERATION,
  ...SCHEDULATION_OPERATIONS,
  ...EXECUTION_OPERATIONS,
]
