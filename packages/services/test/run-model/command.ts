import type { AsyncCommand } from 'fast-check'
import type { World } from './world.ts'

/** The model itself holds nothing: what is expected is told from the database before each step. */
type Nothing = Record<never, never>
export type Step = AsyncCommand<Nothing, World>

export const step = (name: string, run: (world: World) => Promise<unknown>): Step => ({
  check: () => true,
  run: async (_, world) => {
    await run(world)
  },
  toString: () => name,
})

export const pick = <T>(list: readonly T[], n: number): T | undefined => list[n % Math.max(1, list.length)]
export const ignore =
  (...codes: string[]) =>
  (error: { code?: string }) => {
    if (!codes.includes(error.code ?? '')) throw error
  }
