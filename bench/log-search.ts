// Searches over 24 hours of log lines: the same questions among one million and ten million of them.
import type { EventStore } from '../src/store/events/event-store.ts'
import type { Filter, Value } from '../src/store/events/question.ts'
import { withDerived } from '../src/store/events/tables.ts'
import { percentile } from './load.ts'
import { logCounts, logDayMs, logsEndMs, rareWord, withLogs } from './log-rows.ts'
import type { Row } from './measure.ts'

const asks = 12
const growthMax = 2.5

type Ask = (store: EventStore, project: number, n: number) => Promise<unknown>

const body = { of: 'text', column: 'body' } as const
const match = (how: 'words' | 'like', text: string): Filter => ({ op: 'match', value: body, match: how, text })
/** The newest lines as the screen asks for them. */
const newest =
  (filterOf: (n: number) => Filter): Ask =>
  (store, project, n) =>
    store.logLines({
      // Each asks for another range: the engine remembers the answer to a condition.
      scope: { projectIds: [project], environments: [], fromMs: logsEndMs - logDayMs + n, toMs: logsEndMs },
      filter: filterOf(n),
      columns: [],
      order: 'newest',
      max: 100,
    })
const frequent = (n: number) => ['refused', 'queued', 'shipped'][n % 3] ?? ''
const itemIds: Value = {
  of: 'json',
  text: body,
  path: { steps: [{ key: 'order' }, { key: 'items' }, { each: true }, { key: 'id' }] },
}
/** The facets and the histogram as the screen asks for them. */
const summary =
  (filterOf: (n: number) => Filter | undefined): Ask =>
  (store, project, n) => {
    const scope = { projectIds: [project], environments: [], fromMs: logsEndMs - logDayMs + n, toMs: logsEndMs }
    const question = { from: 'logs', scope, filter: filterOf(n) } as const
    return Promise.all([
      store.columnFacets({ ...question, columns: ['service', 'host', 'logger', 'environment', 'release'], max: 9 }),
      store.seriesOfRows({
        ...question,
        withCut: false,
        values: [{ of: 'text', column: 'level' }],
        aggregates: [{ fn: 'count' }, { fn: 'samples' }],
        only: ['trace', 'debug', 'info', 'warning', 'error', 'fatal'].map((level) => [level]),
        bucketMs: 1_800_000,
      }),
    ])
  }

const questions: readonly [what: string, goalMs: number, ask: Ask][] = [
  ['newest 100 lines with a frequent word', 150, newest((n) => match('words', frequent(n)))],
  ['newest 100 lines with a rare word', 150, newest(() => match('words', rareWord))],
  ['newest 100 lines with a number', 150, newest((n) => match('words', String(11_111 + n * 37)))],
  ['newest 100 lines with a word that none has', 150, newest((n) => match('words', `zebra${n}`))],
  [
    'newest 100 lines with a pattern `*refused in 17* ms*`',
    500,
    newest((n) => match('like', `*refused in ${17 + n}* ms*`)),
  ],
  [
    'newest 100 lines by a JSON path, `body.order.items[].id`',
    800,
    newest((n) => ({ op: 'match', value: itemIds, match: 'is', text: String(n + 3) })),
  ],
  ['facets of five columns and the histogram of a frequent word', 300, summary((n) => match('words', frequent(n)))],
  ['facets and histogram of all lines', 300, summary(() => undefined)],
  [
    'the most frequent patterns of all lines',
    500,
    (store, project, n) => {
      const scope = { projectIds: [project], environments: [], fromMs: logsEndMs - logDayMs + n, toMs: logsEndMs }
      return store.logPatterns({ scope, filter: undefined, max: 50 })
    },
  ],
]

async function measured(store: EventStore, project: number, ask: Ask): Promise<number> {
  const times: number[] = []
  for (let n = 0; n < asks; n++) {
    const began = performance.now()
    await ask(store, project, n)
    if (n > 0) times.push(performance.now() - began)
  }
  return percentile(
    times.sort((a, b) => a - b),
    0.95,
  )
}

/** Rows for searches by the store. `counts`: lines of the two projects. */
export const benchLogSearch = (counts: readonly number[] = logCounts): Promise<Row[]> =>
  withLogs(async (store) => {
    const rows: Row[] = []
    for (const [what, goalMs, ask] of questions) {
      const small = await measured(store, 1, ask)
      const large = await measured(store, 2, ask)
      rows.push({
        what: `${what} among ${counts[1]} lines of 24 hours, and growth from ${counts[0]}`,
        goal: `p95 at most ${goalMs} ms and ${growthMax}x`,
        result: `p95 ${Math.round(large)} ms, ${(large / small).toFixed(1)}x of ${Math.round(small)} ms`,
        met: large <= goalMs && large / small <= growthMax,
      })
    }
    const sizes = await store.size()
    const lines = sizes.find(({ table }) => table === 'logs')?.rows ?? 0
    const bytes = sizes.filter(({ table }) => withDerived('logs').includes(table))
    const each = bytes.reduce((sum, { bytesOnDisk }) => sum + bytesOnDisk, 0) / Math.max(1, lines)
    rows.push({
      what: 'disk for a line of these, with its index of words and its rollup',
      goal: 'at most 30 bytes',
      result: `${each.toFixed(1)} bytes`,
      met: each <= 30,
    })
    return rows
  }, counts)
