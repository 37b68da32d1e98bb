/**
 * Only what comes from the console itself, and of scripts only those that bear this answer's nonce or were loaded by
 * one that does. Styles come as files; no style attribute is used, so none is allowed.
 */
export function contentSecurityPolicy(
  nonce: string,
  where: { https: boolean; development: boolean },
): string {
  const directives = [
    "default-src 'self'",
    // React's development build shows where errors came from by eval.
    `script-src 'self' 'nonce-${nonce}' 'strict-dynamic'${where.development ? " 'unsafe-eval'" : ''}`,
    `style-src 'self' ${where.development ? "'unsafe-inline'" : `'nonce-${nonce}'`}`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ]
  if (where.https) directives.push('upgrade-insecure-requests')
  return directives.join('; ')
}
