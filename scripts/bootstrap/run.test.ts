import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { capture } from './run.mjs'

const RUN = new URL('run.mjs', import.meta.url).href
const END_WITH_PARENT = new URL('end-with-parent.mjs', import.meta.url).href
const BOOTSTRAP = fileURLToPath(new URL('../bootstrap.mjs', import.meta.url))

/** Says its process and waits; ends with 7 when asked to by SIGTERM. */
const WAITER = `
  process.on('SIGTERM', () => process.exit(7))
  setInterval(() => undefined, 1000)
  console.log(process.pid)`

/** Says how often it was asked to stop. */
const COUNTER = `
  let asked = 0
  const ask = () => asked++ || setTimeout(() => process.exit(asked), 300)
  process.on('SIGTERM', ask).on('SIGINT', ask)
  setInterval(() => undefined, 1000)
  console.log(process.pid)`

/** A process that hands over to another, as `npm start` hands over to Workly. It leads a process group. */
async function handOver(flags: string[] = [], script = WAITER) {
  const parent = spawn(
    process.execPath,
    [
      '--input-type=module',
      '-e',
      `import { hand } from ${JSON.stringify(RUN)}
       const args = ${JSON.stringify([...flags, '-e', script])}
       process.exitCode = await hand(process.execPath, args, { apart: true })`,
    ],
    { detached: true, stdio: ['ignore', 'pipe', 'inherit'] },
  )
  const lines = createInterface(parent.stdout)
  const [pid] = await once(lines, 'line')
  return { parent, lines, pid: Number(pid) }
}

test('a signal is passed to the child, whose exit code becomes ours', async () => {
  const { parent } = await handOver()
  parent.kill('SIGTERM')

  expect(await once(parent, 'exit')).toEqual([7, null])
})

test('a signal to the whole group that comes twice is one request to stop', async () => {
  const { parent } = await handOver([], COUNTER)
  if (parent.pid === undefined) throw new Error('not started')
  process.kill(-parent.pid, 'SIGTERM')
  process.kill(-parent.pid, 'SIGINT')

  expect(await once(parent, 'exit')).toEqual([1, null])
})

test('a closed terminal is a request to stop', async () => {
  const { parent } = await handOver()
  parent.kill('SIGHUP')

  expect(await once(parent, 'exit')).toEqual([7, null])
})

test('a child killed by a signal ends us with 128 and its number', async () => {
  const { parent, pid } = await handOver()
  process.kill(pid, 'SIGKILL')

  expect(await once(parent, 'exit')).toEqual([137, null])
})

test('when we are killed without a word, the child ends too', async () => {
  const { parent, lines } = await handOver(['--import', END_WITH_PARENT])
  parent.kill('SIGKILL')

  // The child holds the other end of the pipe, so this waits for its end.
  await once(lines, 'close')
  expect(parent.signalCode).toBe('SIGKILL')
})

test('a quiet command gives its output and its code', async () => {
  const told = await capture(process.execPath, [
    '-e',
    'console.log("a"); console.error("b"); process.exit(3)',
  ])
  expect(told.code).toBe(3)
  expect(told.output.split('\n').sort()).toEqual(['', 'a', 'b'])

  expect((await capture('no-such-command', [])).code).toBe(127)
})

test('an old Node is told which one it takes', () => {
  const older = 'data:text/javascript,Object.defineProperty(process,"versions",{value:{node:"18.20.0"}})'
  const { status, stderr } = spawnSync(process.execPath, ['--import', older, BOOTSTRAP, 'start'], {
    encoding: 'utf8',
  })

  expect(status).toBe(1)
  expect(stderr).toMatch(/^Workly needs Node 20 or newer; this is v[\d.]+\. See https:\/\/nodejs\.org\.\n$/)
})

test('an unknown command is answered with the known ones', () => {
  const { status, stderr } = spawnSync(process.execPath, [BOOTSTRAP, 'tset'], { encoding: 'utf8' })

  expect(status).toBe(2)
  expect(stderr).toBe(
    'bootstrap.mjs takes one of start, test, faults, verify, audit, generate, operator, bench, not "tset".\n',
  )
})
