interface Waiting<Item, Result> {
  item: Item
  resolve(result: Result): void
  reject(error: unknown): void
}

/**
 * Gathers what many concurrent deliveries want of the database into few statements. A batch leaves at once while
 * fewer than `parallel` are under way, so a lone item waits for nobody; under load batches grow by themselves, since
 * all that comes while they are under way goes together. A statement per item is what makes queues on Postgres slow.
 */
export class MicroBatch<Item, Result> {
  readonly #run: (items: Item[]) => Promise<Result[]>
  readonly #most: number
  readonly #parallel: number
  #waiting: Waiting<Item, Result>[] = []
  #underWay = 0
  #scheduled = false

  /**
   * @param run answers a batch, one result per item in the same order
   * @param most items in one batch
   * @param parallel batches under way at once
   */
  constructor(run: (items: Item[]) => Promise<Result[]>, most: number, parallel: number) {
    this.#run = run
    this.#most = most
    this.#parallel = parallel
  }

  /** Rejects with the batch's error when the batch fails as a whole. */
  add(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject })
      this.#schedule()
    })
  }

  #schedule(): void {
    if (this.#scheduled || this.#underWay >= this.#parallel || this.#waiting.length === 0) return
    this.#scheduled = true
    // After the present turn of the event loop, so that items that come together go together.
    setImmediate(() => {
      this.#scheduled = false
      void this.#send()
    })
  }

  async #send(): Promise<void> {
    const batch = this.#waiting.splice(0, this.#most)
    this.#underWay++
    this.#schedule()
    try {
      const results = await this.#run(batch.map(w => w.item))
      batch.forEach((w, i) => {
        w.resolve(results[i] as Result)
      })
    } catch (error) {
      for (const w of batch) w.reject(error)
    } finally {
      this.#underWay--
      this.#schedule()
    }
  }
}
