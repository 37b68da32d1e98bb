import { type Logger, type LoggerOptions, pino } from 'pino'

/** Opens a log file. One that cannot be written any more is said once, and Workly goes on without it. */
export function openLog(path: string, level: NonNullable<LoggerOptions['level']>): Logger {
  const file = pino.destination({ dest: path, sync: false })
  let isSaid = false
  file.on('error', (error: Error) => {
    if (!isSaid) process.stderr.write(`  ${path} cannot be written: ${error.message}\n`)
    isSaid = true
  })
  return pino({ level, base: { app: 'workly' } }, file)
}
