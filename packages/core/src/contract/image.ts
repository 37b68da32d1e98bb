import { z } from 'zod'
import { MAX_IMAGE_NAME_LENGTH } from '../image-name.ts'
import { SECRET_MASK } from './http-request.ts'
import { wholeNumber, wireText } from './wire-text.ts'

/** Wire shapes of a container image, of a job or of a pipeline's step (spec section 3). */

/** Longest command, argument or value in characters: with its name it fits the 128 KiB that Linux takes for one. */
const LONGEST_TEXT = 32_768
const MOST_WORDS = 500
const MOST_SOURCES = 50

/** Longest deadline of a container, and longest wait for its callback: a week, in seconds. */
export const LONGEST_CONTAINER_SECONDS = 604_800

/** The deadline of a container where none is given, in seconds. */
export const DEFAULT_CONTAINER_SECONDS = 3_600

/** What is run in place of the image's own: an empty list would not say which of the two is meant. */
const words = z
  .array(wireText(LONGEST_TEXT), 'a list of strings')
  .min(1, "at least one string; leave it out for the image's own")
  .max(MOST_WORDS, `at most ${MOST_WORDS} strings`)

const variable = z.union(
  [wireText(LONGEST_TEXT), z.strictObject({ secret: wireText(LONGEST_TEXT) })],
  'a string, or {"secret": "value"}',
)

/** A secret or config map of the organization, each of whose keys becomes a variable. Exactly one is given. */
export const environmentSource = z.strictObject(
  {
    secret: wireText(253).nullish(),
    config_map: wireText(253).nullish(),
    prefix: wireText(256).nullish(),
  },
  'a source: {"secret": "name"} or {"config_map": "name"}, with or without a "prefix"',
)
export type EnvironmentSource = z.infer<typeof environmentSource>

/** What is run, in a write. What names may be is checked with the rest of what it says. */
export const imageShape = {
  name: wireText(MAX_IMAGE_NAME_LENGTH, 'is required: the image, such as team/report'),
  tag: wireText(128, 'is required: the tag, such as 1.4.0'),
  command: words.nullish(),
  args: words.nullish(),
  env: z.record(z.string(), variable, 'an object: values by the names of their variables').nullish(),
  env_from: z
    .array(environmentSource, 'a list of {"secret": "name"} and {"config_map": "name"}')
    .max(MOST_SOURCES, `at most ${MOST_SOURCES} sources`)
    .nullish(),
  timeout_seconds: wholeNumber(1, LONGEST_CONTAINER_SECONDS).nullish(),
  max_wait_seconds: wholeNumber(1, LONGEST_CONTAINER_SECONDS).nullish(),
}

export const image = z.strictObject(imageShape, 'an image: {"name": "team/report", "tag": "1.4.0"}')
export type Image = z.infer<typeof image>

/** What is run, as reads show it: defaults filled in, secrets masked. */
export const imageRead = z.object({
  name: z.string(),
  tag: z.string(),
  command: z.array(z.string()).optional(),
  args: z.array(z.string()).optional(),
  env: z.record(z.string(), z.union([z.string(), z.object({ secret: z.literal(SECRET_MASK) })])),
  env_from: z.array(
    z.object({
      secret: z.string().optional(),
      config_map: z.string().optional(),
      prefix: z.string().optional(),
    }),
  ),
  timeout_seconds: z.int(),
  max_wait_seconds: z.int().nullable(),
})
export type ImageRead = z.infer<typeof imageRead>
