import { wireText } from '@workly/core'

const LIMITS = '1 to 100 characters on one line, without blanks at its ends'

/**
 * What people call an organization, a project, a key or themselves: it stands in lists, e-mails and the audit log, so
 * it is one line without control characters.
 */
export const displayName = wireText(100)
  .min(1, LIMITS)
  .refine(text => text === text.trim() && !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(text), LIMITS)
