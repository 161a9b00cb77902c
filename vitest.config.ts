import { defineConfig } from 'vitest/config'

// Two projects: what needs nothing but the sources, and what starts the built product (one running product for the suite).
export default defineConfig({
  test: {
    projects: [
      { test: { name: 'src', include: ['src/**/*.test.{ts,tsx}', 'scripts/**/*.test.ts'], pool: 'forks', maxWorkers: 2, testTimeout: 30_000, hookTimeout: 60_000 } },
      {
        test: {
          // tests that say `concurrent` mostly wait: three started products beside the suite's fit two cores
          name: 'e2e', include: ['e2e/**/*.test.ts'], pool: 'forks', maxWorkers: 1, fileParallelism: false, maxConcurrency: 3,
          testTimeout: 240_000, hookTimeout: 180_000, globalSetup: ['e2e/setup.ts'],
        },
      },
    ],
  },
})
