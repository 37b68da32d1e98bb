import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFile, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import Dockerode from 'dockerode'

/**
 * The image of the tests: busybox, so that a shell script can do what a container of a customer's might. Without a
 * command it runs the variable `SCRIPT`.
 */
export const BOX = { name: 'team/box', tag: '1' }

export interface TestEngine {
  socket: string
  /** `127.0.0.1:port`, which has the image of the tests and nothing else. */
  registry: string
  stop(): Promise<void>
}

/** For tests of an engine that cannot start. */
export interface EngineOptions {
  /** Where programs are looked for, in place of the machine's own `PATH`. */
  path?: string
  /** Where the engine keeps its images, in place of a folder of its own. */
  dataRoot?: string
  /** How long engine and registry may take to be ready, in milliseconds; default a minute. */
  giveUpAfterMs?: number
}

const HOW_TO_GET = 'apt-get install -y --no-install-recommends docker.io docker-registry busybox-static'

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

interface Running {
  name: string
  child: ChildProcess
  log: () => string
}

/** Debian keeps `dockerd` where only root looks for programs. */
const PROGRAMS = `${process.env.PATH}:/usr/sbin:/sbin`

function run(name: string, args: string[], path: string): Running {
  const env = { ...process.env, PATH: path }
  const child = spawn(name, args, { stdio: ['ignore', 'pipe', 'pipe'], env })
  let log = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', chunk => (log = `${log}${chunk}`.slice(-4000)))
  child.on('error', error => (log += `\n${error.message}`))
  return { name, child, log: () => log }
}

/** @throws Error that says what is missing, when it ends or is not ready in time */
async function until(what: Running, ready: () => Promise<boolean>, giveUpAfterMs: number): Promise<void> {
  const giveUpAt = Date.now() + giveUpAfterMs
  const isOver = () =>
    what.child.exitCode !== null || what.child.signalCode !== null || what.child.pid === undefined
  while (!(await ready().catch(() => false))) {
    const late = Date.now() > giveUpAt
    if (isOver() || late) {
      const how = late && !isOver() ? `is not ready after ${giveUpAfterMs / 1000} s` : 'does not start'
      throw new Error(
        `${what.name} ${how}. It needs root and Debian's packages (${HOW_TO_GET}).\n${what.log()}`,
      )
    }
    await sleep(100)
  }
}

async function stop({ child }: Running): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return
  const exited = once(child, 'exit')
  child.kill('SIGTERM')
  const kill = setTimeout(() => child.kill('SIGKILL'), 20_000)
  await exited
  clearTimeout(kill)
}

/** An engine leaves the mount of a network namespace behind. */
async function unmountBelow(folder: string): Promise<void> {
  const mounts = await readFile('/proc/self/mounts', 'utf8')
  const paths = mounts.split('\n').map(line => line.split(' ')[1] ?? '')
  for (const path of paths.filter(found => found.startsWith(`${folder}/`)).toReversed()) {
    await promisify(execFile)('umount', [path])
  }
}

async function makeRootFolder(folder: string): Promise<void> {
  await mkdir(join(folder, 'bin'), { recursive: true })
  await mkdir(join(folder, 'tmp'))
  await copyFile('/bin/busybox', join(folder, 'bin/busybox')).catch(error => {
    throw new Error(`There is no /bin/busybox for the image of the tests (${HOW_TO_GET}).`, { cause: error })
  })
  const { stdout } = await promisify(execFile)('/bin/busybox', ['--list'])
  const applets = stdout.split('\n').filter(name => name !== '' && name !== 'busybox')
  await Promise.all(applets.map(name => symlink('busybox', join(folder, 'bin', name))))
}

/** Makes the image out of nothing and a busybox, and puts it into the registry. */
async function pushBox(docker: Dockerode, folder: string, registry: string): Promise<void> {
  await makeRootFolder(folder)
  const pack = spawn('tar', ['-C', folder, '-cf', '-', '.'])
  const repo = `${registry}/${BOX.name}`
  const changes = ['ENV PATH=/bin', 'CMD eval "$SCRIPT"']
  const stream = await docker.importImage(pack.stdout, { repo, tag: BOX.tag, changes })
  await finished(docker, stream)
  const image = docker.getImage(`${repo}:${BOX.tag}`)
  await finished(docker, await image.push({ authconfig: { username: '', password: '', serveraddress: '' } }))
  await image.remove()
}

async function finished(docker: Dockerode, stream: NodeJS.ReadableStream): Promise<void> {
  await new Promise<void>((resolve, reject) =>
    docker.modem.followProgress(stream, error => (error === null ? resolve() : reject(error))),
  )
}

async function startRegistry(folder: string, port: number, path: string): Promise<Running> {
  const config = join(folder, 'registry.yml')
  const storage = { filesystem: { rootdirectory: join(folder, 'registry') }, delete: { enabled: true } }
  // JSON is YAML.
  await writeFile(config, JSON.stringify({ version: 0.1, storage, http: { addr: `127.0.0.1:${port}` } }))
  return run('docker-registry', ['serve', config], path)
}

/**
 * Starts a Docker engine of its own on a private socket, and a registry on loopback. Without a bridge and without rules
 * of a firewall, nothing of the machine is touched.
 * @throws Error that says what is missing; an engine that won't start is no reason to skip a test
 */
export async function startEngine(options: EngineOptions = {}): Promise<TestEngine> {
  const { path = PROGRAMS, giveUpAfterMs = 60_000 } = options
  const folder = await mkdtemp(join(tmpdir(), 'workly-engine-'))
  const socket = join(folder, 'docker.sock')
  const paths = [
    '--data-root',
    options.dataRoot ?? join(folder, 'data'),
    '--exec-root',
    join(folder, 'exec'),
    '-p',
    join(folder, 'pid'),
  ]
  const bare = ['--bridge=none', '--iptables=false', '--ip6tables=false']
  const engine = run('dockerd', ['-H', `unix://${socket}`, ...paths, ...bare], path)
  const port = await freePort()
  const registry = await startRegistry(folder, port, path)
  const docker = new Dockerode({ socketPath: socket })
  const end = async () => {
    await Promise.all([stop(engine), stop(registry)])
    await unmountBelow(folder)
    await rm(folder, { recursive: true, force: true })
  }
  try {
    await until(engine, async () => (await docker.ping()) !== null, giveUpAfterMs)
    await until(registry, async () => (await fetch(`http://127.0.0.1:${port}/v2/`)).ok, giveUpAfterMs)
    await pushBox(docker, join(folder, 'root'), `127.0.0.1:${port}`)
  } catch (error) {
    await end()
    throw error
  }
  return { socket, registry: `127.0.0.1:${port}`, stop: end }
}
