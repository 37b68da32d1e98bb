import { checkExecutor, refOf } from './container-label.ts'
import { type ContainerOutcome, ExecutorError, type ImageExecutor } from './image.ts'
import { executorFailed } from './image-outcome.ts'

const NONE = new ExecutorError(
  'No image can run here: no executor is set up. Set WORKLY_IMAGE_EXECUTOR to "kubernetes" or "docker".',
  { refused: true },
)

function notRun(): ContainerOutcome {
  return { ...executorFailed(NONE), log: null, logIsCut: false }
}

/** `WORKLY_IMAGE_EXECUTOR=none`, the default: every image fails at once and says why (spec section 3). */
export class NoExecutor implements ImageExecutor {
  refFor: ImageExecutor['refFor'] = attempt => refOf('docker', attempt)
  start: ImageExecutor['start'] = async spec => ({
    started: false,
    ref: this.refFor(spec),
    outcome: notRun(),
  })
  wait: ImageExecutor['wait'] = async () => notRun()
  logs: ImageExecutor['logs'] = async () => null
  /** What another executor started can't be removed without it. */
  remove: ImageExecutor['remove'] = async ref => checkExecutor(ref, 'none')
  list: ImageExecutor['list'] = async () => []
  close: ImageExecutor['close'] = async () => {}
}
