import { z } from 'zod'

/**
 * The same object, of which exactly one of some fields is to be given; a field that is missing, or one of several, is
 * named. It is said beside whatever else is wrong with the object.
 */
export function withOneOf<T extends z.ZodObject>(shape: T, forms: readonly (keyof T['shape'] & string)[]): T {
  const choice = `exactly one of ${forms.join(' and ')}`
  return shape.superRefine(
    (value, ctx) => {
      const given = forms.filter(form => value[form] !== undefined && value[form] !== null)
      const wrong = given.length === 0 ? forms.slice(0, 1) : given.length > 1 ? given : []
      for (const form of wrong) {
        const message = given.length === 0 ? `is missing: give ${choice}.` : `Give ${choice}.`
        ctx.addIssue({ code: 'custom', path: [form], message })
      }
    },
    { when: ({ value }) => typeof value === 'object' && value !== null && !Array.isArray(value) },
  ) as T
}

/** An object that is required, by what it is for. */
export function requiredObject<T extends z.ZodRawShape>(shape: T, what: string) {
  return z.strictObject(shape, {
    error: ({ input }) => (input === undefined ? `is required: ${what}` : what),
  })
}
