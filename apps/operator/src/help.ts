import { LIMIT_DEFAULTS, LIMIT_KEYS, LIMIT_RULES } from '@workly/services'
import { table } from './table.ts'

const USAGE = `Commands for whoever runs Workly. They act on DATABASE_URL, or without it on the database of npm start.

  npm run operator -- limits [--organization <slug> [--project <slug>]]
      shows what is set; for one organization or project also what holds
  npm run operator -- limits set --organization <slug> [--project <slug>] <limit>=<number> …
  npm run operator -- limits clear --organization <slug> [--project <slug>] <limit> … | --all
      each change is in the organization's audit log; a raised bound lets waiting runs go at once
  npm run operator -- encryption rotate
      encrypts every stored secret anew with the newest key of WORKLY_ENCRYPTION_KEYS

Limits:
`

/** All there is to know, as `--help` prints it. */
export function help(): string {
  const rows = LIMIT_KEYS.map(key => {
    const { min, max, meaning, organizationOnly } = LIMIT_RULES[key]
    return [
      key,
      `${min} to ${max}`,
      String(LIMIT_DEFAULTS[key]),
      `${meaning}${organizationOnly ? ' (not per project)' : ''}`,
    ]
  })
  return USAGE + table([['limit', 'allowed', 'default', 'meaning'], ...rows])
}
