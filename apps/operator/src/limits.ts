import {
  LIMIT_KEYS,
  LIMIT_RULES,
  type LimitChanges,
  type LimitScope,
  type ListedLimits,
  listLimits,
  type Services,
  setLimits,
} from '@workly/services'
import { table } from './table.ts'

const nameOf = ({ organization, project }: { organization: string; project: string | null }) =>
  project === null ? `organization ${organization}` : `project ${organization}/${project}`

/** What is set, and what holds: of all who have something set, or of one organization or project. */
export async function showLimits(services: Services, scope: LimitScope | undefined): Promise<string> {
  const listed = await listLimits(services, scope)
  const shown = listed.map(limits => `${nameOf(limits)}\n${tableOf(services, limits)}`)
  if (scope) return shown.join('\n')
  const rows = LIMIT_KEYS.map(key => [key, String(services.limits[key])])
  const defaults = `Defaults (WORKLY_LIMIT_*)\n${table([['limit', 'value'], ...rows])}`
  return [
    defaults,
    ...(shown.length > 0 ? shown : ['Nothing else is set for any organization or project.\n']),
  ].join('\n')
}

function tableOf(services: Services, { set, inForce }: ListedLimits): string {
  const rows = LIMIT_KEYS.map(key => [
    key,
    String(services.limits[key]),
    set[key] === undefined ? '' : String(set[key]),
    String(inForce[key]),
  ])
  return table([['limit', 'default', 'set here', 'in force'], ...rows])
}

/** Sets and clears, and tells what changed. */
export async function changeLimits(
  services: Services,
  scope: LimitScope,
  changes: LimitChanges,
): Promise<string> {
  const done = await setLimits(services, scope, changes)
  if (!done.changed) return `Nothing to change: ${nameOf(done)} is set so already.\n`
  const lines = LIMIT_KEYS.flatMap(key => {
    const [before, after] = [done.before[key], done.after[key]]
    return before === after ? [] : [`  ${key}: ${before ?? 'not set'} → ${after ?? 'not set'}`]
  })
  if (done.admitted > 0)
    lines.push(`  ${done.admitted} waiting ${done.admitted === 1 ? 'run goes' : 'runs go'} now`)
  return `${nameOf(done)}\n${lines.join('\n')}\n`
}

/** Clears the named limits, or whatever is set. */
export function clearLimits(services: Services, scope: LimitScope, keys: string[] | 'all'): Promise<string> {
  const ofProject = scope.project !== undefined
  const cleared =
    keys === 'all' ? LIMIT_KEYS.filter(key => !(ofProject && LIMIT_RULES[key].organizationOnly)) : keys
  return changeLimits(services, scope, Object.fromEntries(cleared.map(key => [key, null])))
}
