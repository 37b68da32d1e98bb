import { z } from 'zod'

/**
 * The form that browsers accept in an e-mail field (WHATWG HTML, "valid e-mail address"), with a top-level domain or
 * `localhost` alike. ASCII only, so that no two addresses look the same.
 */
const FORM =
  /^[a-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/
const MESSAGE = 'an e-mail address such as ada@example.com, at most 254 characters'

/** An e-mail address, in lower case: that is how it is stored and looked up. */
export const emailAddress = z
  .string(MESSAGE)
  .max(254, MESSAGE)
  .transform(text => text.toLowerCase())
  .refine(text => FORM.test(text), MESSAGE)
