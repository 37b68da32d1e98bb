import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { capture } from './bootstrap/run.mjs'

const FOLDER = 'prisma/migrations'

/**
 * Migrations are an ordered list that only grows: databases out there have applied the released ones.
 *
 * @param {string} root the repository
 * @returns {Promise<string[]>} one line per breach
 */
export async function checkMigrations(root) {
  const folder = join(root, FOLDER)
  const entries = readdirSync(folder, { withFileTypes: true })
  const names = entries.filter(entry => entry.isDirectory()).map(entry => entry.name)
  return [
    ...checkLock(folder),
    ...names.flatMap(name => checkName(folder, name)),
    ...checkOrder(names),
    ...(await checkReleased(root)),
  ]
}

/** @param {string} folder */
function checkLock(folder) {
  const path = join(folder, 'migration_lock.toml')
  const lock = existsSync(path) ? readFileSync(path, 'utf8') : ''
  return /^provider\s*=\s*"postgresql"/m.test(lock)
    ? []
    : [`${FOLDER}/migration_lock.toml must say provider = "postgresql"`]
}

/**
 * @param {string} folder
 * @param {string} name
 */
function checkName(folder, name) {
  const breaches = []
  if (!/^\d{14}_[a-z0-9_]+$/.test(name))
    breaches.push(`${FOLDER}/${name} must be named YYYYMMDDHHMMSS_what_it_does`)
  if (!existsSync(join(folder, name, 'migration.sql')))
    breaches.push(`${FOLDER}/${name} has no migration.sql`)
  return breaches
}

/** @param {string[]} names */
function checkOrder(names) {
  const times = names.map(name => name.slice(0, 14))
  const twice = times.filter((time, index) => times.indexOf(time) !== index)
  return [...new Set(twice)].map(
    time => `${FOLDER}: two migrations have the time ${time}, so their order is not said`,
  )
}

/** @param {string} root */
async function checkReleased(root) {
  const git = (/** @type {string[]} */ ...args) => capture('git', ['-C', root, ...args])
  const tag = await git('describe', '--tags', '--abbrev=0', '--match', 'v*')
  // No release yet, no git, or a shallow clone without tags: nothing to compare with.
  if (tag.code !== 0) return []
  const release = tag.output.trim()
  const changed = await git('diff', '--name-only', '--diff-filter=a', release, '--', FOLDER)
  const files = changed.output.split('\n').filter(file => file.endsWith('.sql'))
  const edited = files.map(
    file => `${file} was released with ${release} and may not change: write a new migration`,
  )
  const released = (await git('ls-tree', '-r', '--name-only', release, '--', FOLDER)).output.split('\n')
  const fresh = readdirSync(join(root, FOLDER), { withFileTypes: true })
    .filter(entry => entry.isDirectory())
    .map(entry => `${FOLDER}/${entry.name}/migration.sql`)
    .filter(file => !released.includes(file) && existsSync(join(root, file)))
  return [
    ...edited,
    ...fresh.flatMap(file => checkBesideOldCode(file, readFileSync(join(root, file), 'utf8'))),
  ]
}

/**
 * What code of the release before, which runs on while a deploy goes round, would fall over.
 *
 * @type {[RegExp, string][]}
 */
const BREAKING = [
  [/\bdrop\s+(?:table|column)\b/i, 'takes away what released code still reads'],
  [/\brename\s+(?:to|column)\b/i, 'renames what released code still reads'],
  [
    /\balter\s+column\s+\S+\s+(?:set\s+data\s+)?type\b/i,
    'changes the type of what released code still writes',
  ],
  [/\bset\s+not\s+null\b/i, 'asks for a value that released code need not write'],
  [
    /\badd\s+column\b(?:(?!\bdefault\b)[^,;])*\bnot\s+null\b(?:(?!\bdefault\b)[^,;])*[,;]/i,
    'asks for a value that released code does not write',
  ],
]

/**
 * New code runs beside released code while a deploy goes round. What breaks that needs two releases, or a line that says
 * why it does not: `-- beside old code: …`.
 *
 * @param {string} file
 * @param {string} sql
 */
function checkBesideOldCode(file, sql) {
  if (/^-- beside old code: \S/im.test(sql)) return []
  const statements = sql.replaceAll(/--.*$/gm, '')
  return BREAKING.filter(([pattern]) => pattern.test(statements)).map(
    ([, what]) => `${file} ${what}: do it a release later, or say in it why it may ("-- beside old code: …")`,
  )
}
