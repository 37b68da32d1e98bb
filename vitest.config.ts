import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

const DATABASE = ['packages/db/**/*.test.ts', 'packages/services/**/*.test.ts', 'apps/**/*.test.ts']
const CONTAINERS = [
  'packages/delivery/test/containers/**/*.test.ts',
  'apps/worker/test/containers/**/*.test.ts',
]
// Some thirty small files over the same modules, which are loaded once for all of them. None of them replaces a module.
const STATUS_CODES = ['apps/api/src/routes/status-codes/*.test.ts']
const NEVER = ['**/node_modules/**', '**/dist/**', '**/.next/**']

export default defineConfig({
  test: {
    // Database tests mostly wait, so two cores carry three workers.
    maxWorkers: Math.max(3, availableParallelism() - 1),
    testTimeout: 30_000,
    hookTimeout: 60_000,
    teardownTimeout: 60_000,
    projects: [
      {
        extends: true,
        test: {
          name: 'pure',
          include: ['packages/**/*.test.ts', 'scripts/**/*.test.ts', 'e2e/bench/**/*.test.ts'],
          exclude: [...NEVER, ...DATABASE, ...CONTAINERS],
        },
      },
      {
        extends: true,
        test: {
          name: 'database',
          include: DATABASE,
          exclude: [...NEVER, ...CONTAINERS, ...STATUS_CODES],
          globalSetup: 'packages/db/test/global-setup.ts',
        },
      },
      {
        extends: true,
        test: {
          name: 'status codes',
          include: STATUS_CODES,
          isolate: false,
          globalSetup: 'packages/db/test/global-setup.ts',
        },
      },
      {
        extends: true,
        test: {
          name: 'containers',
          include: CONTAINERS,
          exclude: NEVER,
          globalSetup: [
            'packages/db/test/global-setup.ts',
            'packages/delivery/test/containers/global-setup.ts',
          ],
        },
      },
    ],
  },
})
