import { defineConfig } from 'vitest/config'

/** The unit tests of one area. scripts/mutate.ts names them, as the mutation tester passes no test names on. */
const include: string[] = JSON.parse(process.env.MISHAP_MUTATE_TESTS ?? '[]')

export default defineConfig({ test: { include, testTimeout: 30_000, hookTimeout: 60_000 } })
