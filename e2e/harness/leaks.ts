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
  return [
    secret,
    wordOf(secret),
    JSON.stringify(secret).slice(1, -1),
    encodeURIComponent(secret),
    ...encodings,
  ]
}

/** The part of it that no encoder of texts changes, such as a row's own, which doubles quotes. */
function wordOf(secret: string): string {
  const word = /^[\w-]*/.exec(secret)?.[0] ?? ''
  return word.length >= 16 ? word : secret
}

/** The forms of a secret that a text holds. */
export function formsIn(text: string, secret: string): string[] {
  const lower = text.toLowerCase()
  return [...new Set(formsOf(secret))].filter(
    form => text.includes(form) || lower.includes(form.toLowerCase()),
  )
}

/**
 * Columns whose values a search would not see: of relations that hold rows but are no tables of any schema searched, and
 * what a row's text leaves out. Empty where {@link leaksInDatabase} looks at everything that is stored.
 */
export async function unsearchedColumns(sql: Sql): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`
    select format('%I.%I.%I', n.nspname, c.relname, a.attname) as name
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
      join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where c.relkind in ('r', 'p', 'm', 'f') and n.nspname not in ('pg_catalog', 'information_schema', 'pg_toast')
    except
    select format('%I.%I.%I', t.table_schema, t.table_name, c.column_name)
    from information_schema.tables t
      join information_schema.columns c using (table_schema, table_name)
    where t.table_type = 'BASE TABLE'`
  const [large] = await sql<{ count: number }[]>`select count(*)::int from pg_largeobject_metadata`
  return [...rows.map(({ name }) => name), ...(large?.count ? ['large objects'] : [])]
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
