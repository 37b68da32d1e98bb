/** What went wrong, in a sentence for the person at the terminal; nothing else of it is shown. */
export class Said extends Error {
  /** 2: the command was not understood. 1: it could not be carried out. */
  readonly exitCode: 1 | 2

  constructor(message: string, exitCode: 1 | 2 = 1) {
    super(message)
    this.exitCode = exitCode
  }
}
