/** A reason why the embedded PostgreSQL cannot run, in one sentence meant for the person who typed the command. */
export class EmbeddedPostgresError extends Error {
  override name = 'EmbeddedPostgresError'
}

const NO_SPACE =
  /No space left on device|ENOSPC|Disk quota exceeded|Check free disk space|wrote only \d+ of \d+ bytes/i
const KNOWN: [RegExp, (place: string) => string][] = [
  [NO_SPACE, place => `The disk holding ${place} is full: free some space and start again.`],
  [
    /Read-only file system|EROFS/i,
    place => `${place} is on a read-only file system: PostgreSQL needs a folder it can write to.`,
  ],
  [
    /Permission denied|EACCES|EPERM|Operation not permitted/i,
    place =>
      `PostgreSQL may not read or write ${place}: give the folder back to the user who starts Workly, or remove it to begin anew.`,
  ],
  [
    /not a valid data directory|database files are incompatible with server|incorrect checksum in control file|could not read (?:file|control)|invalid magic number|invalid checkpoint record|could not locate a valid checkpoint/i,
    place =>
      `The database files in ${place} are damaged: restore them from a backup, or remove the folder to begin anew.`,
  ],
  [
    /could not create shared memory|could not (?:map|resize) (?:anonymous )?shared memory|Cannot allocate memory|out of memory/i,
    () => 'The machine has too little free memory for PostgreSQL (it needs about 200 MB).',
  ],
  [
    /error while loading shared libraries|GLIBC_|cannot open shared object|Library not loaded/i,
    () =>
      "This system's libraries cannot run the PostgreSQL that comes from npm (it needs glibc 2.27 or newer): set DATABASE_URL to a PostgreSQL server instead.",
  ],
]

/**
 * Turns what PostgreSQL or the operating system printed into one sentence.
 * Where nothing known is found, the sentence carries PostgreSQL's own last complaint.
 *
 * @param output what `initdb` or `postgres` wrote, or a system error's message
 * @param place the folder the sentence should name
 * @param doing what was being done, for example `initialise the database`
 */
export function explainFailure(output: string, place: string, doing: string): EmbeddedPostgresError {
  for (const [pattern, sentence] of KNOWN) {
    if (pattern.test(output)) return new EmbeddedPostgresError(sentence(place))
  }
  const lines = output.split('\n').filter(line => line.trim() !== '')
  const complaint =
    lines.findLast(line => /FATAL|PANIC|error:/i.test(line)) ?? lines.at(-1) ?? 'it gave no reason'
  return new EmbeddedPostgresError(`PostgreSQL could not ${doing} in ${place}: ${complaint.trim()}`)
}
