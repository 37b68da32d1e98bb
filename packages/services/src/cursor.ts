import { invalid, type WorklyError } from '@workly/core'
import type { Sql, TransactionSql } from '@workly/db'

/** Pages hold 50 by default, 1 to 200 (spec section 8). */
export const DEFAULT_LIMIT = 50

/**
 * A whole number for a `limit`, written out: of a statement whose limit is a parameter, PostgreSQL keeps a plan that is
 * for a tenth of all rows.
 */
export function writtenLimit(sql: Sql | TransactionSql, limit: number) {
  return sql.unsafe(String(Math.trunc(limit)))
}

/**
 * That a row of `r` or `j` is of that project of that organization. With both as conditions of the row PostgreSQL takes
 * them for independent, so the project for one with few rows, and reads and sorts all of them for a page.
 */
export function inProject(
  sql: Sql | TransactionSql,
  alias: 'r' | 'j',
  of: { organizationId: string; projectId: string },
) {
  return sql`${sql(`${alias}.project_id`)} = ${of.projectId} and (
    select true from projects where organization_id = ${of.organizationId} and id = ${of.projectId})`
}

/** A cursor names the last row of a page by what the list is ordered by. It means nothing to callers. */
export function writeCursor(parts: string[]): string {
  return Buffer.from(JSON.stringify(parts)).toString('base64url')
}

/** @throws WorklyError `invalid_request` on `cursor` when it is not one of this list's */
export function readCursor(cursor: string, length: number): string[] {
  const parts = partsOf(cursor)
  if (parts?.length !== length) throw badCursor()
  return parts
}

/** Whether a text has the form of a cursor, of whichever list. */
export function isCursor(text: string): boolean {
  return partsOf(text) !== null
}

function partsOf(cursor: string): string[] | null {
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'))
    const areTexts = Array.isArray(parts) && parts.every(p => typeof p === 'string' && !p.includes('\u0000'))
    return areTexts ? (parts as string[]) : null
  } catch {
    return null
  }
}

export function badCursor(): WorklyError {
  return invalid([{ field: 'cursor', message: 'Send the next_cursor of the page before, as it was.' }])
}

/** @throws WorklyError `invalid_request` on `limit` */
export function readLimit(limit: number | undefined): number {
  if (limit === undefined) return DEFAULT_LIMIT
  if (!Number.isInteger(limit) || limit < 1 || limit > 200) {
    throw invalid([{ field: 'limit', message: 'a whole number from 1 to 200' }])
  }
  return limit
}

/** Cuts a page out of one row more than asked for. */
export function cutPage<Row, Item>(
  rows: Row[],
  limit: number,
  show: (row: Row) => Item,
  cursorOf: (row: Row) => string[],
): { data: Item[]; next_cursor: string | null } {
  const kept = rows.slice(0, limit)
  const last = kept.at(-1)
  return {
    data: kept.map(show),
    next_cursor: rows.length > limit && last !== undefined ? writeCursor(cursorOf(last)) : null,
  }
}
