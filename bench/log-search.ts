// Searches over 24 hours of log lines: the same questions among one million and ten million of them.
import type { Connection } from '../src/store/events/connection.ts'
import { percentile } from './load.ts'
import { logCounts, logDayMs, logsEndMs, rareWord, withLogs } from './log-rows.ts'
import type { Row } from './measure.ts'

const asks = 12
const growthMax = 2.5

const range = `project_id = {project:UInt64} AND time >= fromUnixTimestamp64Milli(${logsEndMs - logDayMs}, 'UTC')
  AND time < fromUnixTimestamp64Milli(${logsEndMs}, 'UTC')`
/** As `src/store/events/searching/rows.ts` asks: the engine reads from the end of the table's order until enough match. */
const newest = (where: string) =>
  `SELECT time, level, body, service, host, trace_id, tags, numbers FROM bench.logs PREWHERE ${range} AND ${where}
   ORDER BY project_id DESC, time DESC LIMIT 100`
const word = (text: string) =>
  text
    .split(' ')
    .map((one) => `hasToken(lower(body), '${one}')`)
    .join(' AND ')
const facets = (where: string, column: string) =>
  `SELECT ${column} AS value, count() AS n FROM bench.logs WHERE ${range} AND ${where} GROUP BY value ORDER BY n DESC LIMIT 6`
const histogram = (where: string) =>
  `SELECT toStartOfInterval(time, INTERVAL 30 MINUTE) AS at, level, count() FROM bench.logs WHERE ${range} AND ${where} GROUP BY at, level`

/** Each question asks for something else: the engine remembers the answer to a condition. */
const questions: readonly [what: string, goalMs: number, sqlOf: (n: number) => string[]][] = [
  ['newest 100 lines with a frequent word', 150, (n) => [newest(word(['refused', 'queued', 'shipped'][n % 3] ?? ''))]],
  ['newest 100 lines with a rare word', 150, () => [newest(word(rareWord))]],
  ['newest 100 lines with a number', 150, (n) => [newest(word(String(11_111 + n * 37)))]],
  ['newest 100 lines with a word that none has', 150, (n) => [newest(word(`zebra${n}`))]],
  [
    'newest 100 lines with a pattern `*refused in 17* ms*`',
    500,
    (n) => [newest(`body LIKE '%refused in ${17 + n}% ms%' AND ${word('refused ms')}`)],
  ],
  [
    'newest 100 lines by a JSON path, `body.order.items[].id`',
    800,
    (n) => [
      newest(
        `${word('order items')} AND has(JSONExtract(body, 'order', 'items', 'Array(Tuple(id Nullable(Int64)))').id, ${n + 3})`,
      ),
    ],
  ],
  [
    'facets of four columns and the histogram of a frequent word',
    300,
    (n) => {
      const where = word(['refused', 'queued', 'shipped'][n % 3] ?? '')
      return [histogram(where), ...['level', 'service', 'host', 'environment'].map((column) => facets(where, column))]
    },
  ],
  [
    'facets and histogram of all lines',
    300,
    () => [histogram('1'), ...['level', 'service', 'host', 'environment'].map((column) => facets('1', column))],
  ],
  [
    'the most frequent patterns of all lines',
    500,
    () => [
      `SELECT pattern, count() AS n, any(body) FROM bench.logs WHERE ${range} GROUP BY pattern ORDER BY n DESC LIMIT 50`,
    ],
  ],
]

async function measured(connection: Connection, project: number, sqlOf: (n: number) => string[]): Promise<number> {
  const times: number[] = []
  for (let n = 0; n < asks; n++) {
    const began = performance.now()
    await Promise.all(sqlOf(n).map((sql) => connection.rows(sql, { project }, { seconds: 60 })))
    if (n > 0) times.push(performance.now() - began)
  }
  return percentile(
    times.sort((a, b) => a - b),
    0.95,
  )
}

/** Rows for searches, straight through the store's connection. `counts`: lines of the two projects. */
export const benchLogSearch = (counts: readonly number[] = logCounts): Promise<Row[]> =>
  withLogs(async (store, connection) => {
    const rows: Row[] = []
    for (const [what, goalMs, sqlOf] of questions) {
      const small = await measured(connection, 1, sqlOf)
      const large = await measured(connection, 2, sqlOf)
      rows.push({
        what: `${what} among ${counts[1]} lines of 24 hours, and growth from ${counts[0]}`,
        goal: `p95 at most ${goalMs} ms and ${growthMax}x`,
        result: `p95 ${Math.round(large)} ms, ${(large / small).toFixed(1)}x of ${Math.round(small)} ms`,
        met: large <= goalMs && large / small <= growthMax,
      })
    }
    const size = (await store.size()).find(({ table }) => table === 'logs')
    rows.push({
      what: 'disk for a line of these, with its index of words',
      goal: 'at most 30 bytes',
      result: `${((size?.bytesOnDisk ?? 0) / Math.max(1, size?.rows ?? 0)).toFixed(1)} bytes`,
      met: (size?.bytesOnDisk ?? 0) / Math.max(1, size?.rows ?? 0) <= 30,
    })
    return rows
  }, counts)
