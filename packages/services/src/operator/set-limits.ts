import { type FieldIssue, invalid } from '@workly/core'
import type { TransactionSql } from '@workly/db'
import { audit } from '../audit.ts'
import { type Context, readClock, type Services } from '../context.ts'
import { LIMIT_KEYS, LIMIT_RULES, type LimitDefaults } from '../limits.ts'
import { admitWaiting } from '../run/admit-waiting.ts'
import {
  findOrganization,
  findProject,
  type LimitHolder,
  type LimitOverrides,
  type LimitScope,
  readOverrides,
} from './limit-scope.ts'

/** Limits to set by key; null clears one, so that what is above it holds again. */
export type LimitChanges = Readonly<Record<string, number | null>>

export interface LimitsSet {
  organization: string
  project: string | null
  before: LimitOverrides
  after: LimitOverrides
  /** False: everything was set so already, and nothing was written. */
  changed: boolean
  /** Waiting runs that a raised bound let go. */
  admitted: number
}

function isKey(key: string): key is keyof LimitDefaults {
  return (LIMIT_KEYS as string[]).includes(key)
}

function problemOf(key: string, value: number | null, ofProject: boolean): string | null {
  if (!isKey(key)) return `there is no such limit; the limits are ${LIMIT_KEYS.join(', ')}.`
  const { min, max, organizationOnly } = LIMIT_RULES[key]
  if (ofProject && organizationOnly) return 'counts over the whole organization; set it without a project.'
  if (value === null || (Number.isInteger(value) && value >= min && value <= max)) return null
  return `a whole number from ${min} to ${max} is allowed.`
}

/**
 * Sets and clears limits of an organization or a project, for the operator (spec section 8). The change is in the
 * organization's audit log, and what a raised bound makes fit is admitted, in the same transaction.
 * @throws WorklyError `invalid_request` with each bad key and value; `not_found`
 */
export async function setLimits(
  services: Services,
  scope: LimitScope,
  changes: LimitChanges,
): Promise<LimitsSet> {
  const ofProject = scope.project !== undefined
  const issues = Object.entries(changes).flatMap(([field, value]): FieldIssue[] => {
    const message = problemOf(field, value, ofProject)
    return message === null ? [] : [{ field, message }]
  })
  if (issues.length > 0) throw invalid(issues)
  return services.sql.begin(async sql => {
    const organization = await findOrganization(sql, scope.organization, true)
    const project =
      scope.project === undefined ? null : await findProject(sql, organization, scope.project, true)
    const before = readOverrides((project ?? organization).limits)
    const after = merged(before, changes)
    const told = { organization: organization.slug, project: project?.slug ?? null, before, after }
    if (JSON.stringify(before) === JSON.stringify(after)) return { ...told, changed: false, admitted: 0 }
    const now = await readClock(services, sql)
    await write(sql, services, organization, project, before, after, now)
    const projects = project ? [project.id] : await projectsWaiting(sql, organization)
    return { ...told, changed: true, admitted: await admitWaiting(sql, services.limits, projects, now) }
  })
}

/** In the order of the keys, so that equal ones are written equally. */
function merged(before: LimitOverrides, changes: LimitChanges): LimitOverrides {
  const entries = LIMIT_KEYS.flatMap(key => {
    const value = key in changes ? (changes[key] ?? null) : (before[key] ?? null)
    return value === null ? [] : [[key, value] as const]
  })
  return Object.fromEntries(entries)
}

async function write(
  sql: TransactionSql,
  services: Services,
  organization: LimitHolder,
  project: LimitHolder | null,
  before: LimitOverrides,
  after: LimitOverrides,
  now: Date,
): Promise<void> {
  const holder = project ?? organization
  const table = project ? 'projects' : 'organizations'
  await sql`update ${sql(table)} set limits = ${sql.json({ ...after })} where id = ${holder.id}`
  const ctx: Context = {
    services,
    organizationId: organization.id,
    actor: { kind: 'system', name: 'operator' },
    requestId: null,
  }
  await audit(sql, ctx, now, {
    action: 'limits.set',
    subject: { kind: project ? 'project' : 'organization', id: holder.id, name: holder.name },
    ...(project && { projectId: project.id }),
    before,
    after,
  })
}

/** Projects of the organization in which a run waits for a slot; the others have nothing to admit. */
async function projectsWaiting(sql: TransactionSql, organization: LimitHolder): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    select id from projects p where organization_id = ${organization.id} and exists (
      select from runs r where r.project_id = p.id and r.due_at is not null and not r.waits_for_turn)`
  return rows.map(row => row.id)
}
