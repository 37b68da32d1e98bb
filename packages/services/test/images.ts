import type { Image, JobPut } from '@workly/core'

/** An image that exists nowhere, unless told otherwise. */
export function image(more: Partial<Image> = {}): Image {
  return { name: 'team/report', tag: '1.4.0', ...more }
}

/** Settings of a job that runs an image, every day at 03:00 UTC. */
export function imageJob(more: Partial<Image> = {}): JobPut {
  return { cron: '0 3 * * *', image: image(more) }
}
