// Groups by two fields over spans and log lines: the same plans among one million and ten million rows of seven days.
import { systemClock } from '../src/base/clock.ts'
import { restPlan } from '../src/contract/explore/explore.ts'
import { runPlan } from '../src/query/explore/explore.ts'
import { percentile } from './load.ts'
import type { Row } from './measure.ts'
import { fillLogs, spanDays, spansEndMs, withSpans } from './span-rows.ts'

const dayMs = 86_400_000
const asks = 20
const goalMs = 500
const growthMax = 2.5

const plans = [
  {
    what: 'spans: count by op and transaction',
    dataset: 'spans',
    groupBy: ['span.op', 'transaction'],
    aggregate: 'count()',
  },
  {
    what: 'spans: p95 by op and transaction',
    dataset: 'spans',
    groupBy: ['span.op', 'transaction'],
    aggregate: 'p95(span.duration)',
  },
  {
    what: 'spans: count by an attribute and the release',
    dataset: 'spans',
    groupBy: ['server.address', 'release'],
    aggregate: 'count()',
  },
  { what: 'logs: count by level and service', dataset: 'logs', groupBy: ['severity', 'service'], aggregate: 'count()' },
  {
    what: 'logs: p95 of an attribute by level and host',
    dataset: 'logs',
    groupBy: ['severity', 'host'],
    aggregate: 'p95(latency)',
  },
] as const

type Deps = Parameters<typeof runPlan>[0]

/** Plans over rows ask the events store only. Any use of the rest is a fault of the bench. */
const depsOf = (events: Deps['events']): Deps => {
  const refuse = (name: string) =>
    new Proxy(
      {},
      {
        get: (_, key) => {
          throw new Error(`${name}.${String(key)} is not part of this bench`)
        },
      },
    ) as never
  return {
    events,
    clock: { ...systemClock, now: () => spansEndMs },
    meta: refuse('meta'),
    auth: refuse('auth'),
    readers: refuse('readers'),
    config: {
      url: '',
      retentionErrorsDays: 90,
      retentionSpansDays: 30,
      retentionLogsDays: 14,
      retentionMetricsDays: 90,
    },
  }
}

async function measured(deps: Deps, id: number, { dataset, groupBy, aggregate }: (typeof plans)[number]) {
  const view = {
    projects: [{ id, slug: `p${id}` }] as never,
    environments: [],
    range: { fromMs: spansEndMs - spanDays * dayMs, toMs: spansEndMs, period: '7d' },
    meUserId: undefined,
  }
  const times: number[] = []
  let share = 1
  for (let n = 0; n < asks; n++) {
    // Each asks for another range: the engine remembers the answer to a condition.
    const range = { ...view.range, fromMs: view.range.fromMs + n * 1000 }
    const plan = restPlan.parse({ dataset, groupBy, series: [{ name: 'a', aggregate }] })
    const began = performance.now()
    const { rows, meta } = await runPlan(deps, { ...view, range }, plan, { shape: 'table' })
    if (n > 0) times.push(performance.now() - began)
    if (rows.length === 0) throw new Error('no groups')
    share = (meta.toMs - meta.scannedFromMs) / (meta.toMs - meta.fromMs)
  }
  return { p95: percentile(times, 0.95), share }
}

/** Rows for plans over one million and ten million spans and log lines. */
export const benchExplore = (): Promise<Row[]> =>
  withSpans(async (store, socketPath) => {
    await fillLogs(socketPath)
    const deps = depsOf(store)
    const rows: Row[] = []
    for (const plan of plans) {
      const [small, large] = [await measured(deps, 1, plan), await measured(deps, 2, plan)]
      const part = large.share < 1 ? `, the newest ${Math.round(large.share * 100)}% of the range` : ''
      rows.push({
        what: `${plan.what}, 7 days of 10 million, and growth from 1 million`,
        goal: `p95 at most ${goalMs} ms and ${growthMax}x`,
        result: `p95 ${Math.round(large.p95)} ms${part}, ${(large.p95 / small.p95).toFixed(1)}x of ${Math.round(small.p95)} ms`,
        met: large.p95 <= goalMs && large.p95 / small.p95 <= growthMax,
      })
    }
    return rows
  })
