import { z } from 'zod'
import { imageRead, imageShape, LONGEST_CONTAINER_SECONDS } from '../image.ts'
import { wholeNumber, wireText } from '../wire-text.ts'
import { requiredObject } from './one-of.ts'

/** A Kubernetes secret or config map whose keys become variables. Exactly one of the two is given. */
const environmentSource = z.strictObject(
  {
    secret: wireText(253).nullish(),
    configMap: wireText(253).nullish(),
    prefix: wireText(256).nullish(),
  },
  'a source: {"secret": "name"} or {"configMap": "name"}, with or without a "prefix"',
)

/** The container that an image execution runs (spec section 9). Its callback is always waited for. */
export const imageExecution = requiredObject(
  {
    name: imageShape.name,
    tag: imageShape.tag,
    env: imageShape.env,
    envFrom: z
      .array(environmentSource, 'a list of {"secret": "name"} and {"configMap": "name"}')
      .max(50, 'at most 50 sources')
      .nullish(),
    timeout: imageShape.timeout_seconds,
    maxTimeToWaitCallback: wholeNumber(1, LONGEST_CONTAINER_SECONDS),
  },
  'an image: {"name", "tag", "maxTimeToWaitCallback"}',
).meta({ id: 'SchedulerImageExecution', description: 'The container to run.' })
export type ImageExecution = z.infer<typeof imageExecution>

/**
 * As lists show it: defaults filled in, secrets masked. `command`, `args` and a `maxTimeToWaitCallback` of null (its exit
 * is its completion) are of jobs that were made elsewhere.
 */
export const imageExecutionRead = z
  .object({
    name: z.string(),
    tag: z.string(),
    command: imageRead.shape.command,
    args: imageRead.shape.args,
    env: imageRead.shape.env,
    envFrom: z.array(
      z.object({
        secret: z.string().optional(),
        configMap: z.string().optional(),
        prefix: z.string().optional(),
      }),
    ),
    timeout: z.int(),
    maxTimeToWaitCallback: z.int().nullable(),
  })
  .meta({ id: 'SchedulerImageExecutionRead', description: 'The container to run, as lists show it.' })
export type ImageExecutionRead = z.infer<typeof imageExecutionRead>
