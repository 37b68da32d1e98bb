// Loaded into a process to set its wall clock wrong, as a machine's may be: by CLOCK_OFF_MS from the start, and by as
// much the other way after each SIGUSR2. Its monotonic clock is right, as the kernel's is.

const Right = Date
let offMs = Number(process.env.CLOCK_OFF_MS)

class Wrong extends Right {
  /** @param {any[]} given */
  constructor(...given) {
    if (given.length === 0) super(Right.now() + offMs)
    else super(.../** @type {[number]} */ (given))
  }

  static now() {
    return Right.now() + offMs
  }
}

globalThis.Date = /** @type {DateConstructor} */ (/** @type {unknown} */ (Wrong))
process.on('SIGUSR2', () => {
  offMs = -offMs
})
