import { defineConfig } from 'vitest/config'

/** Tests that start products of their own and mostly wait for what they did to them. */
const own = [
  'e2e/{crash,fuzz,keep,proxy}/**/*.test.ts',
  'e2e/clients/clients.test.ts',
  'e2e/hostile/log.test.ts',
  'e2e/pack/pack.test.ts',
  'e2e/sdk/scrape.test.ts',
  'e2e/shots/**/*.test.ts',
  'e2e/ui/{account,alert-messages,deploy,integrations,notifications,setup}.test.ts',
]
/** What floods a product looks at what others feel of it: nothing else may take the cores meanwhile. */
const alone = ['e2e/hostile/hostile.test.ts']
/** The product on external stores, which these tests start. They use both cores. */
const engines = ['e2e/{engines,s3}/**/*.test.ts']
/** Tests that put something in a module's place: other files must not find it. */
const mocked = ['src/{journal,store}/sync.test.ts', 'src/journal/disk.test.ts', 'src/store/events/engine/names.test.ts', 'src/web/{actions,issue-panels,client/api,server/session}.test.ts', 'src/web/panels/{error-links,releases,traces}/words.test.tsx', 'src/web/panels/traces/states.test.tsx']
// One module graph a worker: 203 s where one a file took 280, as 130 s of each went into loading the same sources again.
const parts = { pool: 'forks', maxWorkers: 2, testTimeout: 30_000, hookTimeout: 60_000 } as const
const modules = '**/node_modules/**'
// tests that say `concurrent` mostly wait: three started products beside the suite's fit two cores
const whole = { pool: 'forks', maxWorkers: 1, fileParallelism: false, maxConcurrency: 3, testTimeout: 240_000, hookTimeout: 180_000 } as const

// What needs nothing but the sources; what asks the suite's one built product; what starts products of its own.
export default defineConfig({
  test: {
    projects: [
      { test: { ...parts, name: 'src', include: ['src/**/*.test.{ts,tsx}', 'scripts/**/*.test.ts'], exclude: [...mocked, modules], isolate: false } },
      { test: { ...parts, name: 'src-mocked', include: mocked } },
      { test: { ...whole, name: 'e2e', include: ['e2e/**/*.test.ts'], exclude: [...own, ...alone, ...engines, modules], globalSetup: ['e2e/setup.ts'] } },
      { test: { ...whole, name: 'own', include: own } },
      { test: { ...whole, name: 'engines', include: engines } },
      { test: { ...whole, name: 'alone', include: alone } },
    ],
  },
})
