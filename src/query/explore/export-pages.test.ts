import { parquetReadObjects } from 'hyparquet'
import { expect, test } from 'vitest'
import { MishapError } from '../../base/errors.ts'
import type { Plan, PlanAnswer, PlanCell, PlanColumn } from '../../contract/explore/explore.ts'
import { type ExportFormat, exportFormats } from '../../domain/exports.ts'
import { exportEncoder } from './export-encoder.ts'
import { type AskPlan, exportPages, exportTotal } from './export-pages.ts'

const plan: Plan = {
  dataset: 'logs',
  query: '',
  columns: ['n'],
  groupBy: [],
  series: [],
  formulas: [],
  order: '',
  limit: 100,
}
const column = (name: string, type: PlanColumn['type'] = 'string'): PlanColumn => ({
  name,
  label: name,
  role: 'field',
  type,
  unit: null,
})
const meta: PlanAnswer['meta'] = {
  fromMs: 0,
  toMs: 0,
  scannedFromMs: 0,
  partial: null,
  samples: null,
  sampled: false,
  more: false,
  rowsRead: 0,
  bytesRead: 0,
  elapsedMs: 0,
}

/** A store with rows at these times. Row n has the value n. */
function storeOf(times: readonly number[]): { ask: AskPlan; asked: number[] } {
  const asked: number[] = []
  return {
    asked,
    ask: async ({ fromMs, toMs }, { limit, series }) => {
      const found = times.flatMap((at, n) => (at >= fromMs && at < toMs ? [n] : []))
      if (series.length > 0)
        return { columns: [], rows: [[found.length]], series: [], meta: { ...meta, samples: found.length } }
      asked.push(toMs - fromMs)
      const rows = found
        .reverse()
        .slice(0, limit)
        .map((n): PlanCell[] => [n])
      return { columns: [column('n', 'number')], rows, series: [], meta: { ...meta, more: found.length > limit } }
    },
  }
}

async function exported(times: readonly number[], range: { fromMs: number; toMs: number }): Promise<PlanCell[]> {
  const { ask } = storeOf(times)
  const total = await exportTotal(ask, range, plan)
  const cells: PlanCell[] = []
  for await (const page of exportPages(ask, range, plan, total)) cells.push(...page.rows.map((row) => row[0] ?? null))
  return cells
}

test.each([
  ['no rows', []],
  ['rows at an even pace', Array.from({ length: 35_000 }, (_, n) => n * 30)],
  ['a burst in a quiet range', Array.from({ length: 35_000 }, (_, n) => (n < 50 ? n * 10_000 : 500_000 + (n % 5)))],
  ['as many rows at one time as a page has', Array.from({ length: 10_000 }, () => 77)],
])('exports %s: each row once, the newest first', async (_name, times) => {
  const sorted = times.toSorted((a, b) => a - b)
  const wanted = sorted.map((_, n) => n).reverse()
  expect(await exported(sorted, { fromMs: 0, toMs: 1_050_000 })).toEqual(wanted)
})

test('rows outside of the range stay out, and its ends are exact', async () => {
  expect(await exported([9, 10, 11, 19, 20, 21], { fromMs: 10, toMs: 20 })).toEqual([3, 2, 1])
})

test('a millisecond with more rows than a page is an error, and not a file without them', async () => {
  const times = Array.from({ length: 10_001 }, () => 77)
  await expect(exported(times, { fromMs: 0, toMs: 1000 })).rejects.toMatchObject({ code: 'VALIDATION' })
})

test('a window that takes too long is asked again in halves', async () => {
  const { ask, asked } = storeOf([1, 500, 999])
  const slow: AskPlan = async (range, asking) => {
    if (asking.series.length === 0 && range.toMs - range.fromMs > 300) throw new MishapError('QUERY_TIMEOUT')
    return ask(range, asking)
  }
  const cells: PlanCell[] = []
  for await (const page of exportPages(slow, { fromMs: 0, toMs: 1000 }, plan, 3)) cells.push(...page.rows.flat())
  expect(cells).toEqual([2, 1, 0])
  expect(Math.max(...asked)).toBeLessThanOrEqual(300)
})

test('groups beyond the limit and partial answers are errors', async () => {
  const grouped: Plan = { ...plan, series: [{ name: 'a', aggregate: 'count()' }] }
  const ask =
    (change: Partial<PlanAnswer['meta']>): AskPlan =>
    async () => ({ columns: [], rows: [], series: [], meta: { ...meta, ...change } })
  const pages = async (change: Partial<PlanAnswer['meta']>) =>
    Array.fromAsync(exportPages(ask(change), { fromMs: 0, toMs: 1 }, grouped, null))
  expect(await pages({})).toHaveLength(1)
  await expect(pages({ more: true })).rejects.toMatchObject({ code: 'VALIDATION' })
  await expect(pages({ partial: { reason: 'time', sentence: 'Late.' } })).rejects.toThrow('Late.')
})

const columns = [
  column('message'),
  column('=cmd()'),
  column('message'),
  column('took', 'duration'),
  column('at', 'date'),
  column('ok', 'boolean'),
  column('__proto__'),
]
const rows: PlanCell[][] = [
  ['=HYPERLINK("http://x")', 'a,b', 'say "hi"\n', 1.5, '2026-11-27T10:00:00.123456Z', true, '\u202eabc\0'],
  ['@x', '', null, null, null, null, '日本語 😀'],
]
const fileOf = async (format: ExportFormat) => {
  const encoder = await exportEncoder(format, columns)
  return Buffer.concat([
    encoder.begin(),
    encoder.add(rows.slice(0, 1)),
    encoder.add([]),
    encoder.add(rows.slice(1)),
    encoder.end(),
  ])
}

test('CSV: formulas are harmless in cells and headings, and each heading is there once', async () => {
  expect((await fileOf('csv')).toString()).toBe(
    [
      `message,'=cmd(),message 2,took,at,ok,__proto__`,
      `"'=HYPERLINK(""http://x"")","a,b","say ""hi""\n",1.5,2026-11-27T10:00:00.123456Z,true,\u202eabc`,
      `'@x,,,,,,日本語 😀`,
      '',
    ].join('\r\n'),
  )
})

test('JSON lines: one object for each row, with every field', async () => {
  const lines = (await fileOf('jsonl')).toString().trimEnd().split('\n')
  expect(lines.map((line) => Object.entries(JSON.parse(line) as object))).toEqual(
    rows.map((row) =>
      ['message', '=cmd()', 'message 2', 'took', 'at', 'ok', '__proto__'].map((name, at) => [name, row[at]]),
    ),
  )
})

test('Parquet: another program reads the types and values', async () => {
  const bytes = await fileOf('parquet')
  const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer
  const read = await parquetReadObjects({ file })
  expect(read.map((row) => [row.message, row['=cmd()'], row['message 2'], row.took, row.ok])).toEqual([
    ['=HYPERLINK("http://x")', 'a,b', 'say "hi"\n', 1.5, true],
    ['@x', '', null, null, null],
  ])
  expect(read.map(({ at }) => at)).toEqual([new Date('2026-11-27T10:00:00.123Z'), null])
})

test.each(exportFormats)('%s without rows is a file, too', async (format) => {
  const encoder = await exportEncoder(format, columns)
  const bytes = Buffer.concat([encoder.begin(), encoder.add([]), encoder.end()])
  if (format === 'jsonl') expect(bytes).toHaveLength(0)
  else expect(bytes.length).toBeGreaterThan(10)
})

test('groups without a series are one answer, not one for each window', async () => {
  const ranges: number[] = []
  const ask: AskPlan = async ({ fromMs, toMs }) => {
    ranges.push(toMs - fromMs)
    return { columns: [column('n')], rows: [['error', 30_000]], series: [], meta: { ...meta, samples: 30_000 } }
  }
  const grouped: Plan = { ...plan, columns: [], groupBy: ['level'] }
  const range = { fromMs: 0, toMs: 1000 }
  const total = await exportTotal(ask, range, grouped)
  const pages = await Array.fromAsync(exportPages(ask, range, grouped, total))
  expect([total, pages.length, ranges]).toEqual([null, 1, [1000]])
})

test('CSV: a negative number stays a number', async () => {
  const encoder = await exportEncoder('csv', [column('n', 'number'), column('text')])
  expect(encoder.add([[-1.5, '-1.5']]).toString()).toBe("-1.5,'-1.5\r\n")
})
