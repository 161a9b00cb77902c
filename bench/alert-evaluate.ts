// Metric rules: what 1,000 of them cost beside 300 events/s, whether 10,000 are decided within their minute, and back-tests
// of 14 days. The evaluator runs as in the product, on an engine and a SQLite file of its own; rows are made in the engine,
// so the cost of ingest is not in these figures. `-- alert-evaluate --only back-test` runs
// one part of it, and so do `--only judge` and `--only unique`.
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { backTestRule } from '../src/alert/back-test.ts'
import { createMetricRules, type MetricRulesDeps } from '../src/alert/metric-rules.ts'
import { systemClock } from '../src/base/clock.ts'
import { silent } from '../src/base/observe.ts'
import type { MetricCondition } from '../src/contract/alerts/alerts.ts'
import { createEventStore } from '../src/store/events/clickhouse.ts'
import { connect } from '../src/store/events/connection.ts'
import { openSqliteMeta } from '../src/store/meta/sqlite.ts'
import { percentile } from './load.ts'
import { cpuSecondsOf, type Row } from './measure.ts'
import { startEngine } from './span-rows.ts'

const [minuteMs, dayMs] = [60_000, 86_400_000]
const endMs = Date.UTC(2026, 10, 23)
const projectCount = 20
const perMinute = 300 * 60
const piecesOfDay = 4
/** Minutes that are judged: the first reads whole windows, the others one step. */
const minutes = 5
/** Back-tests that are measured, behind one that is not: the first reads cold files. */
const asks = 40

/** Errors of the 20 projects between two times, evenly spread, in 2,000 groups. */
const rowsOf = (count: number, fromMs: number, lengthMs: number, jpos: number): string => `INSERT INTO bench.events
  (project_id, group_hash, timestamp, received, event_id, jpos, gen, hashes, user_hash, level, environment, release, transaction,
   type, platform, message, tags, trace_id, digest, payload)
  SELECT 1 + number % ${projectCount}, cityHash64(rand(1) % 2000) AS g,
    fromUnixTimestamp64Milli(toInt64(${fromMs} + intDiv(number * ${lengthMs}, ${count})), 'UTC') AS t, t,
    unhex(hex(sipHash128(number, ${jpos}))), ${jpos} + number, 0, [g], rand(2) % 5000, ['error', 'fatal', 'warning'][1 + rand(3) % 3],
    if(rand(4) % 10 = 0, 'staging', 'production'), 'web@1.0.1', concat('/route/', toString(rand(5) % 500)), 'error', 'node',
    concat('Error ', toString(rand(1) % 2000)), map('handled', ['yes', 'no'][1 + rand(6) % 2]), unhex(hex(sipHash128(number))), '', '{}\\n{}'
  FROM numbers(${count}) SETTINGS max_partitions_per_insert_block = 0, max_threads = 1, materialize_skip_indexes_on_insert = 0`

const conditionOf = (n: number): MetricCondition => ({
  plan: {
    dataset: 'errors',
    // Each has a filter of its own, so that no two share an aggregate.
    query: `transaction:/route/${n % 500} level:${['error', 'fatal', 'warning'][Math.floor(n / 500) % 3]}`,
    columns: [],
    groupBy: [],
    series: [{ name: 'a', aggregate: 'count()' }],
    formulas: [],
    order: '',
    limit: 10,
  },
  of: 'a',
  windowMinutes: [1, 5, 10, 60][n % 4] ?? 5,
  threshold: { type: 'fixed', direction: 'above', warning: null, critical: 1e6, resolve: null },
  minimum: 0,
  missing: 'keep',
})

/** The same about people, every 50th of them of each route. */
function uniqueConditionOf(n: number): MetricCondition {
  const condition = conditionOf(n)
  const { plan } = condition
  const groupBy = n % 50 === 49 ? ['transaction'] : []
  const query = groupBy.length > 0 ? `level:${['error', 'fatal', 'warning'][n % 3]}` : plan.query
  return { ...condition, plan: { ...plan, query, groupBy, series: [{ name: 'a', aggregate: 'count_unique(user)' }] } }
}

type Rig = Awaited<ReturnType<typeof openRig>>

async function openRig(folder: string) {
  const { child, socketPath } = await startEngine(folder)
  const events = createEventStore({
    url: 'http://localhost',
    socketPath,
    database: 'bench',
    observe: silent,
    clock: systemClock,
  })
  await events.migrate()
  const connection = connect({ url: 'http://localhost', socketPath, database: 'bench', clock: systemClock })
  const meta = await openSqliteMeta(join(folder, 'meta.sqlite'), { clock: systemClock })
  const organization = await meta.organizations.createOrganization({ slug: 'bench', name: 'Bench', ownerUserId: 'ann' })
  for (let n = 1; n <= projectCount; n++)
    await meta.projects.createProject({
      organizationId: organization.id,
      slug: `p${n}`,
      name: `P${n}`,
      platform: 'node',
    })
  const insert = (count: number, fromMs: number, lengthMs: number, jpos: number) =>
    connection.command(rowsOf(count, fromMs, lengthMs, jpos), {}, { seconds: 300 })
  const close = async () => {
    await connection.close()
    await events.close()
    await meta.close()
    child.kill('SIGTERM')
    await once(child, 'exit')
  }
  return { events, connection, meta, organization, insert, enginePid: child.pid ?? 0, close }
}

/** The evaluator's dependencies, at a time that the bench sets. */
function depsOf({ events, meta }: Rig) {
  const now = { ms: endMs }
  const clock = { ...systemClock, now: () => now.ms }
  const deps: MetricRulesDeps & { config: Parameters<typeof backTestRule>[0]['config'] } = {
    events,
    meta,
    clock,
    observe: silent,
    config: {
      url: '',
      retentionErrorsDays: 90,
      retentionSpansDays: 30,
      retentionLogsDays: 14,
      retentionMetricsDays: 90,
    },
    auth: { personByEmail: async () => undefined },
    readers: { isCatchingUp: () => false },
    processedTo: async () => ({ events: now.ms, bulk: now.ms }),
    fired: () => undefined,
  }
  return { deps, now }
}

async function createRules({ meta, organization }: Rig, count: number, of = conditionOf): Promise<void> {
  const known = (await meta.alertRules.listAlertRules(organization.id)).length
  for (let n = known; n < count; n++)
    await meta.alertRules.createAlertRule({
      organizationId: organization.id,
      userId: 'ann',
      max: count,
      name: `Rule ${n}`,
      active: true,
      mutedUntilMs: null,
      definition: {
        projectIds: n % 3 === 0 ? [] : [1 + (n % projectCount)],
        environment: n % 2 === 0 ? 'production' : null,
        ownerId: null,
        issue: null,
        metric: of(n),
        actions: [],
        intervalMinutes: 30,
        resolveMessage: true,
        escalation: [],
        unevaluable: [],
        original: null,
      },
    })
}

/** Judges minute after minute. Returns the time of the first and the longest later run, and the CPU of a later minute. */
async function judged(rig: Rig, count: number, fromMs: number, jpos: number, of = conditionOf) {
  await createRules(rig, count, of)
  const { deps, now } = depsOf(rig)
  const evaluator = createMetricRules(deps)
  const own = () => process.cpuUsage().user / 1e6 + process.cpuUsage().system / 1e6
  const runs: { ms: number; cpu: number }[] = []
  for (let minute = 0; minute < minutes; minute++) {
    await rig.insert(perMinute, fromMs + minute * minuteMs, minuteMs, jpos + minute * 1e6)
    now.ms = fromMs + (minute + 1) * minuteMs
    const [began, cpu, engine] = [performance.now(), own(), cpuSecondsOf(rig.enginePid)]
    const { steps, failed } = await evaluator.run()
    // Rules of an earlier part catch up with the minutes between the parts first.
    if (Number(steps) < count || failed !== 0) throw new Error(`judged ${steps} of ${count} rules, ${failed} failed`)
    runs.push({ ms: performance.now() - began, cpu: own() - cpu + cpuSecondsOf(rig.enginePid) - engine })
  }
  const [first, ...later] = runs
  const cpu = later.reduce((sum, run) => sum + run.cpu, 0) / later.length
  return { firstMs: first?.ms ?? 0, laterMs: Math.max(...later.map(({ ms }) => ms)), cpu }
}

/** The times of back-tests in ms, in their order. Half of them filter. */
async function backTests(rig: Rig): Promise<number[]> {
  const { deps } = depsOf(rig)
  const projects = await rig.meta.projects.projectsOf(rig.organization.id)
  const times: number[] = []
  for (let n = 0; n <= asks; n++) {
    const metric = {
      ...conditionOf(0),
      windowMinutes: 10,
      threshold: { ...conditionOf(0).threshold, critical: 5200 + n },
    }
    const plan = { ...metric.plan, query: n % 2 === 0 ? '' : 'level:error handled:no' }
    const rule = {
      projects: [],
      environment: null,
      owner: null,
      isActive: true,
      issue: null,
      metric: { ...metric, plan },
    }
    const body = { ...rule, actions: [], intervalMinutes: 30, resolveMessage: true, escalation: [] }
    const began = performance.now()
    const { samples } = await backTestRule(deps, { projects, environments: [] }, { rule: body, days: 14, noise: [] })
    if (samples === 0) throw new Error('no rows')
    times.push(performance.now() - began)
  }
  return times
}

const whole = (ms: number) => Math.round(ms)

/** Waits until the engine merges nothing: rows of 14 days are long merged in a product, and were made a moment ago here. */
async function merged({ connection }: Rig): Promise<void> {
  for (let quiet = 0; quiet < 5; await pause(500)) {
    const [row] = await connection.rows('SELECT count() AS n FROM system.merges', {}, { seconds: 10 })
    quiet = Number((row as { n?: unknown } | undefined)?.n) === 0 ? quiet + 1 : 0
  }
}

/** Measures back-tests and prints the time of each. */
async function backTestRow(rig: Rig, rows: number): Promise<Row> {
  const beganMs = performance.now()
  await merged(rig)
  console.error(`merged after ${whole(performance.now() - beganMs)} ms`)
  const [cold = 0, ...times] = await backTests(rig)
  console.error(`back-tests in ms, the first ${whole(cold)}, then: ${times.map(whole).join(' ')}`)
  const sorted = times.toSorted((a, b) => a - b)
  const [p50, p95, max] = [percentile(sorted, 0.5), percentile(sorted, 0.95), sorted.at(-1) ?? Number.NaN]
  return {
    what: `back-test of 14 days over ${rows / 1e6}M errors`,
    goal: 'p95 at most 1 s',
    result: `${times.length} runs: p50 ${whole(p50)} ms, p95 ${whole(p95)} ms, at most ${whole(max)} ms; the first, cold, ${whole(cold)} ms`,
    met: p95 <= 1000,
  }
}

/** Measures what rules cost, and whether many are decided in time. */
async function judgeRows(rig: Rig): Promise<Row[]> {
  const few = await judged(rig, 1000, endMs, 2e12)
  const many = await judged(rig, 10_000, endMs + 2 * minutes * minuteMs, 3e12)
  const share = (few.cpu / 60) * 100
  return [
    {
      what: 'a minute of 1,000 metric rules over 300 errors/s: evaluator and engine',
      goal: 'less than 10% of a core',
      result: `${few.cpu.toFixed(2)} s of CPU a minute, ${share.toFixed(1)}% of a core; the first run, which reads whole windows, ${whole(few.firstMs)} ms, others at most ${whole(few.laterMs)} ms`,
      met: share < 10,
    },
    {
      what: 'a minute of 10,000 metric rules over 300 errors/s',
      goal: 'each decided within its minute',
      result: `at most ${(many.laterMs / 1000).toFixed(1)} s and ${many.cpu.toFixed(1)} s of CPU; the first run, which reads whole windows, ${(many.firstMs / 1000).toFixed(1)} s`,
      met: Math.max(many.firstMs, many.laterMs) < 60_000,
    },
  ]
}

/** Measures rules about people, some by group. */
async function uniqueRow(rig: Rig): Promise<Row> {
  const { firstMs, laterMs, cpu } = await judged(rig, 500, endMs, 2e12, uniqueConditionOf)
  return {
    what: 'a minute of 500 rules about different people, 10 of them by route, over 300 errors/s',
    goal: 'each decided within its minute',
    result: `at most ${(laterMs / 1000).toFixed(1)} s and ${cpu.toFixed(1)} s of CPU; the first run ${(firstMs / 1000).toFixed(1)} s`,
    met: Math.max(firstMs, laterMs) < 60_000,
  }
}

/** Parts that run alone. `unique` is no part of a whole run. */
const parts = ['back-test', 'judge', 'unique']

/**
 * Metric rules and back-tests over so many errors of 14 days. `only`: one of `parts`. Rules are judged over the minutes
 * behind these rows, so without back-tests only the last six hours of them are made.
 */
export async function benchAlertEvaluate(rows: number, only?: string): Promise<Row[]> {
  if (only !== undefined && !parts.includes(only)) throw new Error(`--only is one of ${parts.join(', ')}`)
  const folder = mkdtempSync(join(tmpdir(), 'mishap-alert-bench-'))
  const rig = await openRig(folder)
  try {
    const days = 14
    // 700,000 rows in one insert need more memory than a statement may take.
    const [pieces, pieceMs] = [days * piecesOfDay, dayMs / piecesOfDay]
    const withTests = only === undefined || only === 'back-test'
    const first = withTests ? 0 : pieces - 1
    for (let piece = first; piece < pieces; piece++)
      await rig.insert(Math.floor(rows / pieces), endMs - (pieces - piece) * pieceMs, pieceMs, 1e12 + piece * 1e9)
    if (only === 'unique') return [await uniqueRow(rig)]
    const tests = withTests ? [await backTestRow(rig, rows)] : []
    return [...tests, ...(only === 'back-test' ? [] : await judgeRows(rig))]
  } finally {
    await rig.close()
    rmSync(folder, { recursive: true, force: true })
  }
}
