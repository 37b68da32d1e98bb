import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Sql } from '@workly/db'

/** Forms in which a text could lie somewhere without being seen as itself. */
function formsOf(secret: string): string[] {
  // Headers go as Latin-1, everything else as UTF-8.
  const encodings = [Buffer.from(secret), Buffer.from(secret, 'latin1')].flatMap(bytes => [
    bytes.toString('base64').replace(/=+$/, ''),
    bytes.toString('base64url'),
    bytes.toString('hex'),
  ])
  return [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret), ...encodings]
}

/** The forms of a secret that a text holds. */
export function formsIn(text: string, secret: string): string[] {
  const lower = text.toLowerCase()
  return [...new Set(formsOf(secret))].filter(
    form => text.includes(form) || lower.includes(form.toLowerCase()),
  )
}

/**
 * Where a database holds a secret: every row of every table of every schema that is not PostgreSQL's own is read as
 * text, so that no column can be forgotten.
 *
 * @returns `schema.table` with what was found
 */
export async function leaksInDatabase(sql: Sql, secrets: readonly string[]): Promise<string[]> {
  const tables = await sql<{ schema: string; name: string }[]>`
    select table_schema as schema, table_name as name from information_schema.tables
    where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema') order by 1, 2`
  const found: string[] = []
  for (const { schema, name } of tables) {
    const rows = await sql<{ row: string }[]>`select t::text as row from ${sql(schema)}.${sql(name)} t`
    for (const secret of secrets) {
      const forms = formsIn(rows.map(({ row }) => row).join('\n'), secret)
      if (forms.length > 0) found.push(`${schema}.${name}: ${forms.join(' ')}`)
    }
  }
  return found
}

/** Files below a folder that hold a secret as it is, PostgreSQL's own data and write-ahead log among them. */
export function leaksInFiles(
  folder: string,
  secrets: readonly string[],
  except: readonly string[],
): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile() && !except.includes(entry.name))
    .map(entry => join(entry.parentPath, entry.name))
    .filter(path => {
      const bytes = readFileSync(path)
      return secrets.some(secret => bytes.includes(secret))
    })
}
