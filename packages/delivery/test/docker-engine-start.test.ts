import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { startEngine } from './docker-engine.ts'

const WHAT_TO_INSTALL = 'apt-get install -y --no-install-recommends docker.io docker-registry busybox-static'
const LONG = { timeout: 60_000 }

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'workly-no-engine-'))
  await mkdir(join(folder, 'bin'))
})
afterEach(async () => {
  await rm(folder, { recursive: true, force: true })
})

/** Puts a program of that name where the engine is looked for first. */
async function program(name: string, text: string): Promise<void> {
  await writeFile(join(folder, 'bin', name), `#!/bin/sh\n${text}\n`, { mode: 0o755 })
}

const first = () => `${join(folder, 'bin')}${delimiter}${process.env.PATH}${delimiter}/usr/sbin`

it('the tests of containers fail where there is no engine, and say what to install', LONG, async () => {
  const start = startEngine({ path: join(folder, 'bin') })
  await expect(start).rejects.toThrow(WHAT_TO_INSTALL)
  await expect(start).rejects.toThrow(/^dockerd does not start.*ENOENT/s)
})

it('they fail where the registry does not start', LONG, async () => {
  await program('docker-registry', 'echo no place to listen; exit 1')
  const start = startEngine({ path: first() })
  await expect(start).rejects.toThrow(WHAT_TO_INSTALL)
  await expect(start).rejects.toThrow(/^docker-registry does not start.*no place to listen/s)
})

it('they fail where the engine cannot keep its images, and repeat what it says', LONG, async () => {
  const dataRoot = join(folder, 'file')
  await writeFile(dataRoot, 'no folder')
  await expect(startEngine({ dataRoot })).rejects.toThrow(/^dockerd does not start.*points to a file/s)
})

it('they fail where the engine is there and never answers, and end it', LONG, async () => {
  const pid = join(folder, 'pid')
  await program('dockerd', `echo $$ > ${pid}; echo waiting for nothing; exec sleep 600`)
  const start = startEngine({ path: first(), giveUpAfterMs: 1500 })
  await expect(start).rejects.toThrow(
    /^dockerd is not ready after 1\.5 s.*apt-get install.*waiting for nothing/s,
  )
  const started = Number(await readFile(pid, 'utf8'))
  expect(() => process.kill(started, 0)).toThrow('ESRCH')
})

it('they fail where the engine ends at once', LONG, async () => {
  await program('dockerd', 'echo no rights to run; exit 1')
  await expect(startEngine({ path: first() })).rejects.toThrow(/^dockerd does not start.*no rights to run/s)
})
