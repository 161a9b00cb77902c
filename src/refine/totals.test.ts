import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { metricColumns } from '../store/events/metrics/encode.ts'
import { linesOf } from '../store/events/row-file.ts'
import { totalBody } from './kinds/otlp/fixture.cases.ts'
import { refineBody } from './pipeline/fixture.cases.ts'
import { bench, head, until } from './rig.cases.ts'

const totals = { kind: 'otlp_metrics', contentType: 'application/json', lane: 'bulk' } as const
const killerFile = fileURLToPath(new URL('./pipeline/killer.cases.ts', import.meta.url))

test('the total of a stored record that crashes each worker in a recovery is not counted again', async () => {
  const entry = await bench()
  const append = (n: number, word: string) =>
    entry.writer.append({ ...head(entry.projectId), ...totals }, totalBody(n, word))
  const from = await entry.meta.batches.cursor('bulk')
  const jpos = await append(0, 'KILLS-ITS-WORKER')
  await entry.meta.batches.openBatch(from, entry.writer.durable(), 'bulk')
  const read = refineBody(totalBody(0), { ...totals, projectId: entry.projectId })
  const [row] = read.groups.flatMap((group) => (group.table === 'metrics' ? group.rows : []))
  if (!row) throw new Error('no row')
  const values: number[] = []
  const { store } = entry.events
  const refine = entry.open(killerFile, undefined, {
    events: {
      ...store,
      settle: async (table) => new Map(table === 'metrics' ? [[jpos, new Set([0])]] : []),
      recentTotals: async (_since, { from: first, to }) =>
        first <= jpos && jpos < to ? [{ stream: row.stream, timeMs: row.timeMs, total: row.total }] : [],
      insert: async (_table, rows) => {
        for (const line of linesOf(rows).toString().split('\n').filter(Boolean))
          values.push(Number(line.split('\t')[metricColumns.indexOf('value')]))
      },
    },
  })
  await refine.start()
  await append(3, '')
  refine.advance(entry.writer.durable())
  await until(async () => values.length === 1, 'the next total')
  expect([values, entry.failures]).toEqual([[3], []])
}, 60_000)
