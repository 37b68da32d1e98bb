/** What the log keeps of an error that was not foreseen. */
export interface LoggedCause {
  name: string
  message: string
  code?: string
  /** Of Postgres: which constraint, table and column; never the row. */
  place?: string
  stack?: string
  cause?: LoggedCause
}

/**
 * An error for the log, without what may hold a customer's data (spec section 13: never bodies or secrets). Postgres
 * puts values into `detail`, `where` and, for bad data, into quotes of its message; Prisma writes the whole call into
 * its message; both leave the statement's parameters on the error. So fields are picked, never copied.
 */
export function loggedCause(error: unknown, depth = 0): LoggedCause {
  if (!(error instanceof Error))
    return { name: typeof error, message: 'something that is no Error was thrown' }
  const message = publicPart(error)
  const logged: LoggedCause = { name: error.name, message }
  if ('code' in error && typeof error.code === 'string') logged.code = error.code
  const place = ['table_name', 'column_name', 'constraint_name'].flatMap(key => {
    const value = (error as unknown as Record<string, unknown>)[key]
    return typeof value === 'string' ? [value] : []
  })
  if (place.length > 0) logged.place = place.join('.')
  const frames = error.stack?.split('\n').filter(line => /^\s+at /.test(line))
  if (frames && frames.length > 0) logged.stack = frames.join('\n')
  if (error.cause !== undefined && depth < 4) logged.cause = loggedCause(error.cause, depth + 1)
  return logged
}

function publicPart(error: Error): string {
  if (error.name.startsWith('PrismaClient')) return 'left out, since it holds the call'
  const quotesData = error.name === 'PostgresError' && 'code' in error && String(error.code).startsWith('22')
  return (quotesData ? error.message.replace(/".*"/s, '"…"') : error.message).slice(0, 1_000)
}
