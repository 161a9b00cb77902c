import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

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
/**
 * Long computations on engines and databases that look at no clock. They run beside the whole-product tests, which
 * leave a third of two cores idle.
 */
const long = ['src/store/events/{events,log-text,server}.test.ts', 'src/jobs/trace-downsampling.test.ts', 'src/store/meta/{postgres,meta}.test.ts']
/** Seconds of the longest files in a run of `npm test` on two cores, beside two other lanes. All others take 1 to 20. */
const seconds: Record<string, number> = {
  'e2e/clients/clients.test.ts': 180, 'e2e/crash/traces.test.ts': 154, 'e2e/ui/a11y.test.ts': 125, 'e2e/proxy/path.test.ts': 125, 'e2e/sdk/faults.test.ts': 97,
  'e2e/ui/behaviour.test.ts': 85, 'e2e/shots/shots.test.ts': 78, 'e2e/crash/power.test.ts': 77, 'e2e/ui/states.test.ts': 63, 'e2e/crash/full.test.ts': 63,
  'e2e/crash/stop.test.ts': 56, 'e2e/keep/keep.test.ts': 55, 'e2e/sdk/next.test.ts': 55, 'e2e/ui/alert-messages.test.ts': 55, 'e2e/crash/kill.test.ts': 53,
  'e2e/fixtures.test.ts': 53, 'e2e/ui/alerts.test.ts': 51, 'e2e/ui/releases.test.ts': 50, 'e2e/ui/triage.test.ts': 49, 'e2e/ui/requests.test.ts': 47,
  'e2e/ui/performance.test.ts': 46, 'e2e/keep/pace.test.ts': 45, 'e2e/ui/hostile.test.ts': 44, 'e2e/keep/budget.test.ts': 43, 'e2e/crash/hang.test.ts': 41,
  'e2e/ui/digests.test.ts': 41, 'e2e/ui/detectors.test.ts': 37, 'e2e/crash/reprocessing.test.ts': 36, 'e2e/ui/release-health.test.ts': 34, 'e2e/ui/integrations.test.ts': 34,
  'e2e/crash/crash.test.ts': 33, 'e2e/crash/alerts.test.ts': 33, 'e2e/crash/metrics.test.ts': 32, 'e2e/ui/deploy.test.ts': 28, 'e2e/crash/sessions.test.ts': 27,
  'e2e/fuzz/fuzz.test.ts': 26, 'e2e/sdk/builds.test.ts': 26, 'e2e/proxy/proxy.test.ts': 26, 'e2e/ui/trace-page.test.ts': 25, 'e2e/ui/reporting.test.ts': 24,
  'e2e/crash/export.test.ts': 24, 'e2e/ui/dashboards.test.ts': 22, 'e2e/proxy/address.test.ts': 22, 'e2e/ui/issue-parts.test.ts': 21, 'e2e/crash/merge.test.ts': 21,
  'e2e/ui/explore.test.ts': 20, 'src/refine/pipeline/refine.test.ts': 32, 'src/refine/symbolicate/map-cache.test.ts': 28, 'src/store/meta/database/postgres.test.ts': 20,
  'src/store/blobs/s3.test.ts': 18, 'src/tidy.test.ts': 8, 'src/serve/proxy.test.ts': 14, 'src/refine/lanes.test.ts': 14, 'src/refine/pipeline/doctor.test.ts': 14,
  'src/jobs/downsample-candidates.test.ts': 14, 'src/api/rules.test.ts': 12, 'src/processes/main.test.ts': 11, 'src/alert/metric-rules.test.ts': 11,
  'src/jobs/downsampling.test.ts': 11, 'src/api/traces.test.ts': 10,
}

/** Begins with the longest file and deals files to shards by their seconds. Vitest knows them only after a first run. */
class LongestFirst extends BaseSequencer {
  private secondsOf({ moduleId }: TestSpecification): number {
    return seconds[moduleId.slice(this.ctx.config.root.length + 1)] ?? 10
  }
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    // Files of one project stay together, in the order of the projects.
    const projects = [...new Set(sorted.map(({ project }) => project.name))]
    const order = (file: TestSpecification) => projects.indexOf(file.project.name)
    return sorted.toSorted((a, b) => order(a) - order(b) || this.secondsOf(b) - this.secondsOf(a))
  }
  override async shard(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { index = 1, count = 1 } = this.ctx.config.shard ?? {}
    const shards = Array.from({ length: count }, () => ({ sum: 0, files: [] as TestSpecification[] }))
    const byName = files.toSorted((a, b) => (a.moduleId < b.moduleId ? -1 : 1))
    for (const file of byName.toSorted((a, b) => this.secondsOf(b) - this.secondsOf(a))) {
      const least = shards.toSorted((a, b) => a.sum - b.sum)[0]
      least?.files.push(file)
      if (least) least.sum += this.secondsOf(file)
    }
    return shards[index - 1]?.files ?? []
  }
}
// Tests that say `concurrent` mostly wait: three started products beside the suite's fit two cores. One process for all
// files of a run: a process a file took half a core-second for each, and a Chromium for each.
const whole = { pool: 'forks', maxWorkers: 1, isolate: false, fileParallelism: false, maxConcurrency: 3, testTimeout: 240_000, hookTimeout: 180_000 } as const

// What needs nothing but the sources; what asks the suite's one built product; what starts products of its own.
export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    projects: [
      { test: { ...parts, name: 'src', include: ['src/**/*.test.{ts,tsx}', 'scripts/**/*.test.ts'], exclude: [...mocked, ...long, modules], isolate: false } },
      { test: { ...parts, name: 'long', include: long, maxWorkers: 1, testTimeout: 120_000, hookTimeout: 120_000 } },
      { test: { ...parts, name: 'src-mocked', include: mocked } },
      { test: { ...whole, name: 'e2e', include: ['e2e/**/*.test.ts'], exclude: [...own, ...alone, ...engines, modules], globalSetup: ['e2e/setup.ts'] } },
      { test: { ...whole, name: 'own', include: own } },
      { test: { ...whole, name: 'engines', include: engines, isolate: true } },
      { test: { ...whole, name: 'alone', include: alone, isolate: true } },
    ],
  },
})
