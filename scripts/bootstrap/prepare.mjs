import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { explainInstall } from './explain-install.mjs'
import { fingerprint, unlessDone } from './fingerprint.mjs'
import { alone } from './lock.mjs'
import { inRoot, nodeBinary, PNPM, STATE } from './place.mjs'
import { Stop, step, tail } from './report.mjs'
import { capture } from './run.mjs'

/**
 * Brings the folder into the state a command needs; what is there already is not done again.
 *
 * @param {{console?: boolean}} needs `console`: the built console
 */
export async function prepare(needs = {}) {
  await alone(async () => {
    await installPackages()
    await generateClient()
    if (needs.console === true) await buildConsole()
  })
}

async function installPackages() {
  const print = fingerprint(
    ['pnpm-lock.yaml', 'pnpm-workspace.yaml', 'package.json'],
    [process.platform, process.arch],
  )
  await unlessDone(inRoot('node_modules', '.workly-installed'), print, () =>
    step('Installing packages', async () => {
      const { code, output } = await capture(
        process.platform === 'win32' ? 'npx.cmd' : 'npx',
        ['-y', PNPM, 'install', '--frozen-lockfile', '--prefer-offline'],
        {
          // CI: no questions, no progress bars. Few retries: a registry that is away should be said within seconds.
          env: { CI: 'true', npm_config_fetch_retries: '2', npm_config_fetch_retry_mintimeout: '1000' },
        },
      )
      if (code !== 0) throw new Stop(explainInstall(output, keep('install.log', output)))
      linkNode()
    }),
  )
}

/**
 * pnpm wraps every command of a package in a shell script, and signals end there. Under `npm run` this one is `node`
 * itself, so a link takes its place.
 */
function linkNode() {
  const link = inRoot('node_modules', '.bin', 'node')
  const binary = `../node-${process.platform}-${process.arch}/bin/node`
  if (!existsSync(join(link, '..', binary))) return
  rmSync(link, { force: true })
  symlinkSync(binary, link)
}

async function generateClient() {
  const { version } = JSON.parse(readFileSync(inRoot('node_modules/prisma/package.json'), 'utf8'))
  const print = fingerprint(['prisma/schema.prisma'], [version])
  await unlessDone(inRoot('packages/db/src/generated/.fingerprint'), print, () => generate())
}

/** Makes the Prisma client, whether it is up to date or not. */
export async function generate() {
  await step('Generating the database client', async () => {
    const { code, output } = await prisma(['generate'])
    if (code !== 0) throw new Stop(`${output.trim()}\nGenerating the database client failed.`)
  })
}

/**
 * Prisma's schema engine would be downloaded from outside the npm registry; none of what is used here needs it. A
 * command that did must fail, so the engine's place is taken by `false`, not by `true`.
 *
 * @param {string[]} args
 */
export function prisma(args) {
  return capture(nodeBinary(), [inRoot('node_modules/prisma/build/index.js'), ...args], {
    env: { PRISMA_SCHEMA_ENGINE_BINARY: '/bin/false' },
  })
}

async function buildConsole() {
  if (!existsSync(inRoot('apps/console/package.json'))) return
  const print = fingerprint([
    'apps/console',
    'packages',
    'prisma/schema.prisma',
    'pnpm-lock.yaml',
    'package.json',
    'tsconfig.base.json',
    'turbo.json',
  ])
  await unlessDone(inRoot('apps/console/.next/.fingerprint'), print, () =>
    step('Building the console', async () => {
      const { code, output } = await turbo(['run', 'build', '--filter=@workly/console'])
      if (code === 0) return
      const log = keep('build.log', output)
      throw new Stop(`${tail(output, 40)}\nBuilding the console failed; the whole log is in ${log}`)
    }),
  )
}

/**
 * Turbo starts the packages' scripts with pnpm, which is among the packages.
 *
 * @param {string[]} args
 */
export function turbo(args) {
  return capture(inRoot('node_modules/.bin/turbo'), [...args, '--output-logs=errors-only'])
}

/**
 * @param {string} name
 * @param {string} text
 * @returns {string} the path of the log
 */
function keep(name, text) {
  mkdirSync(STATE, { recursive: true })
  const path = join(STATE, name)
  writeFileSync(path, text)
  return path
}
