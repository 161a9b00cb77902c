// Searches over spans: the same questions among one million and ten million of them.
import type { EventStore } from '../src/store/events/event-store.ts'
import type { Filter, Value } from '../src/store/events/question.ts'
import { percentile } from './load.ts'
import type { Row } from './measure.ts'
import { spanDays, spansEndMs, withSpans } from './span-rows.ts'

const dayMs = 86_400_000
const asks = 20
const goalMs = 300
const growthMax = 2.5

const duration: Value = { of: 'number', column: 'duration' }
const op: Value = { of: 'text', column: 'op' }
const isDb = { op: 'match', value: op, match: 'is', text: 'db' } as const
/** Each question asks for another one: the engine remembers the answer to a condition. */
let customers = 100
const byCustomer = (text: string): Filter => ({
  op: 'match',
  value: { of: 'attribute', key: 'customer.id', as: 'any' },
  match: 'is',
  text,
})
const list = { values: [{ of: 'id', column: 'span' }, duration, op] as Value[], max: 100, offset: 0 }
const groups = { withCut: false, having: [], max: 50, offset: 0 } as const

/** The questions, each with the most spans that it reads (src/query/compile/limits.ts). */
const questions: readonly [
  what: string,
  spansMax: number,
  ask: (store: EventStore, scope: Scope) => Promise<unknown>,
][] = [
  [
    'newest 100 spans by op',
    Number.POSITIVE_INFINITY,
    (store, scope) => store.listRows({ from: 'spans', scope, filter: isDb, ...list, order: [] }),
  ],
  [
    'newest 100 spans by a rare value of an attribute',
    Number.POSITIVE_INFINITY,
    (store, scope) =>
      store.listRows({ from: 'spans', scope, filter: byCustomer(String(customers++)), ...list, order: [] }),
  ],
  [
    'spans by a value that none has',
    Number.POSITIVE_INFINITY,
    (store, scope) =>
      store.listRows({ from: 'spans', scope, filter: byCustomer(`none ${customers++}`), ...list, order: [] }),
  ],
  [
    'slowest 100 spans by op',
    2_000_000,
    (store, scope) =>
      store.listRows({ from: 'spans', scope, filter: isDb, ...list, order: [{ at: 1, descending: true }] }),
  ],
  [
    'facets of five columns',
    2_000_000,
    (store, scope) =>
      store.columnFacets({
        from: 'spans',
        scope,
        filter: isDb,
        columns: ['op', 'category', 'status', 'environment', 'release'],
        max: 6,
      }),
  ],
  [
    'facets of attributes',
    2_000_000,
    (store, scope) => store.attributeFacets({ from: 'spans', scope, filter: isDb, keys: 6, max: 6 }),
  ],
  ['distribution of durations', 2_000_000, (store, scope) => store.durationHistogram({ scope, filter: isDb })],
  [
    'count over time',
    2_000_000,
    (store, scope) =>
      store.seriesOfRows({
        from: 'spans',
        scope,
        filter: isDb,
        withCut: true,
        values: [],
        only: [],
        aggregates: [{ fn: 'count' }],
        bucketMs: 10_800_000,
      }),
  ],
  [
    'p75 by transaction',
    2_000_000,
    (store, scope) =>
      store.groupRows({
        from: 'spans',
        scope,
        filter: { op: 'compare', value: { of: 'flag', column: 'isSegment' }, compare: '=', number: 1 },
        ...groups,
        values: [{ of: 'text', column: 'transaction' }],
        aggregates: [{ fn: 'percentile', level: 0.75, of: duration }],
        order: [{ at: 1, descending: true }],
      }),
  ],
]
type Scope = Parameters<EventStore['newestPart']>[0]['scope']

async function measured(store: EventStore, projectId: number, at: number): Promise<number> {
  const [, spansMax, ask] = questions[at] ?? []
  const scope = { projectIds: [projectId], environments: [], fromMs: spansEndMs - spanDays * dayMs, toMs: spansEndMs }
  const times: number[] = []
  for (let n = 0; n < asks; n++) {
    const began = performance.now()
    // A part of the question: the range is narrowed first.
    const { fromMs } = Number.isFinite(spansMax)
      ? await store.newestPart({ from: 'spans', scope }, spansMax ?? 0)
      : scope
    await ask?.(store, { ...scope, fromMs })
    if (n > 0) times.push(performance.now() - began)
  }
  return percentile(times, 0.95)
}

/** Rows for searches over one million and ten million spans. */
export const benchSpanSearch = (): Promise<Row[]> =>
  withSpans(async (store) => {
    const rows: Row[] = []
    for (const [at, [what]] of questions.entries()) {
      const [small = 0, large = 0] = [await measured(store, 1, at), await measured(store, 2, at)]
      rows.push({
        what: `${what} among 10 million spans, and growth from 1 million`,
        goal: `p95 at most ${goalMs} ms and ${growthMax}x`,
        result: `p95 ${Math.round(large)} ms, ${(large / small).toFixed(1)}x of ${Math.round(small)} ms`,
        met: large <= goalMs && large / small <= growthMax,
      })
    }
    return rows
  })
