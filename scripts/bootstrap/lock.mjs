import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { STATE } from './place.mjs'
import { Stop } from './report.mjs'

/**
 * Does the work while no other Workly command of this folder installs or builds.
 * The lock names its process, so one left behind by a killed command is taken over.
 *
 * @param {() => Promise<void>} work
 * @param {string} [folder] where the lock lies, made when missing
 */
export async function alone(work, folder = STATE) {
  const path = join(folder, 'setup.lock')
  makeFolder(folder)
  for (let round = 0; !tryLock(path); round++) {
    // The first round may only have cleared away a lock left behind.
    if (round === 1) console.log('Another Workly command is setting up; waiting for it.')
    await delay(200)
  }
  try {
    await work()
  } finally {
    rmSync(path, { force: true })
  }
}

/** @param {string} folder */
function makeFolder(folder) {
  try {
    mkdirSync(folder, { recursive: true })
  } catch (error) {
    throw new Stop(`Workly keeps its data in ${folder} and may not write there (${codeOf(error)}).`)
  }
}

/** @param {string} path */
function tryLock(path) {
  try {
    writeFileSync(path, String(process.pid), { flag: 'wx' })
    return true
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw new Stop(`Workly may not write ${path} (${codeOf(error)}).`)
  }
  const owner = Number(read(path))
  // An empty file is one being written this instant.
  if (owner > 0 && !isAlive(owner)) rmSync(path, { force: true })
  return false
}

/** @param {string} path */
function read(path) {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

/** @param {number} pid */
function isAlive(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return codeOf(error) === 'EPERM'
  }
}

/** @param {unknown} error */
function codeOf(error) {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error)
}
