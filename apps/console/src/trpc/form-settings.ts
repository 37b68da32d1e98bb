import { invalid, jobPatch, jobPut, pipelineStep, stepList, testCall, wireText } from '@workly/core'
import { readPayload } from '@workly/services'
import type { z } from 'zod'

/**
 * Settings as the console's forms send them: as over `/v1`, but that payloads are JSON texts. Read as values by the
 * browser or by tRPC, their long numbers would be rounded.
 */

const payloadText = { payload_text: wireText(2 * 1024 * 1024).optional() }
const step = pipelineStep.omit({ payload: true }).extend(payloadText)
const texts = { ...payloadText, steps: stepList(step).nullish() }

export const formPut = jobPut.omit({ payload: true }).extend(texts)
export const formPatch = jobPatch.omit({ payload: true }).extend(texts)
export const formTest = testCall.omit({ payload: true }).extend(payloadText)

interface WithText {
  payload_text?: string | undefined
}

/**
 * A request with its payload as a value.
 * @param place what stands before its fields, such as `steps[1].`
 * @throws WorklyError `invalid_request` on `payload`
 */
export function withPayload<T extends WithText>(
  form: T,
  place = '',
): Omit<T, 'payload_text'> & { payload?: unknown } {
  const { payload_text: text, ...rest } = form
  if (text === undefined) return rest
  try {
    return { ...rest, payload: readPayload(text) }
  } catch {
    throw invalid([{ field: `${place}payload`, message: 'is not JSON' }])
  }
}

const stepOf = (form: z.infer<typeof step>, index: number) => withPayload(form, `steps[${index}].`)

/** The settings of a job with every payload as a value. @throws WorklyError `invalid_request` */
export function settingsOf<T extends z.infer<typeof formPatch>>(form: T) {
  const { steps, ...rest } = form
  return { ...withPayload(rest), ...(steps !== undefined && { steps: steps?.map(stepOf) ?? null }) }
}

/** A request as it was stored, its payload as text, digit for digit. */
export function withText<T extends { payload?: unknown }>(target: T): Omit<T, 'payload'> & WithText {
  const { payload, ...rest } = target
  return payload === undefined ? rest : { ...rest, payload_text: JSON.stringify(payload) }
}
