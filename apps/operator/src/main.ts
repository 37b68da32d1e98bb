import { allOfEnvironment } from './env.ts'
import { operate } from './operate.ts'

/** The operator's commands as a process: `npm run operator -- …`. */
process.exitCode = await operate(process.argv.slice(2), allOfEnvironment(), {
  out: text => process.stdout.write(text),
  err: text => process.stderr.write(text),
})
