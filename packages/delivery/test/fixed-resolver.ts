import { ResolveError, type Resolver } from '../src/index.ts'

type Answer = readonly string[] | 'hangs'

/**
 * A resolver for tests that knows the names it is told. A list of lists answers one look-up after the other, the last
 * one from then on.
 */
export class FixedResolver implements Resolver {
  readonly asked: string[] = []
  readonly #names: Map<string, Answer[]>

  constructor(names: Record<string, Answer | Answer[]>) {
    this.#names = new Map(
      Object.entries(names).map(([name, answer]) => [name, isList(answer) ? [...answer] : [answer]]),
    )
  }

  async resolve(host: string): Promise<readonly string[]> {
    this.asked.push(host)
    const answers = this.#names.get(host)
    const answer = answers !== undefined && answers.length > 1 ? answers.shift() : answers?.[0]
    if (answer === undefined) throw new ResolveError('ENOTFOUND', host)
    return answer === 'hangs' ? new Promise(() => undefined) : answer
  }
}

function isList(answer: Answer | Answer[]): answer is Answer[] {
  return Array.isArray(answer) && answer.some(item => Array.isArray(item) || item === 'hangs')
}
