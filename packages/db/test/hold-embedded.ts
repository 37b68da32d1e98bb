// A process of its own that starts the embedded server on the folder it is given, says so, and then waits to be ended.
import { startEmbeddedPostgres } from '../src/embedded-postgres.ts'

const [dataDir = ''] = process.argv.slice(2)
const { pid, port, reused, stop } = await startEmbeddedPostgres({ dataDir, fast: true })
process.stdout.write(`${JSON.stringify({ pid, port, reused })}\n`)
process.stdin.resume()
process.stdin.once('end', () => void stop())
