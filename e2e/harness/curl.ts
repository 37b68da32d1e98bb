import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** What curl printed: the answer's status, its headers by lower-case name, and its body. */
export interface CurlAnswer {
  status: number
  headers: Record<string, string>
  body: string
}

/**
 * Types a command into a shell, as the guide prints it. Its `localhost:7337` leads to the given port, by a settings file
 * of curl's own (curl(1), `--connect-to`), so that not a letter of the command is changed.
 *
 * @throws Error when the command fails
 */
export async function typeCurl(command: string, port: number): Promise<CurlAnswer> {
  const home = mkdtempSync(join(tmpdir(), 'workly-curl-'))
  try {
    writeFileSync(
      join(home, '.curlrc'),
      `connect-to = "localhost:7337:127.0.0.1:${port}"\nnoproxy = "*"\ninclude\nsilent\nshow-error\n`,
    )
    const { stdout } = await run('sh', ['-c', command], { env: { ...process.env, CURL_HOME: home } })
    return readAnswer(stdout)
  } finally {
    rmSync(home, { recursive: true })
  }
}

function readAnswer(text: string): CurlAnswer {
  const end = text.indexOf('\r\n\r\n')
  const [statusLine = '', ...lines] = text.slice(0, end).split('\r\n')
  const headers = lines.map(line => {
    const colon = line.indexOf(':')
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
  })
  return {
    status: Number(statusLine.split(' ')[1]),
    headers: Object.fromEntries(headers),
    body: text.slice(end + 4),
  }
}
