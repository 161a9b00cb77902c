import { ClickHouseError } from '@clickhouse/client'
import { MishapError } from '../../../base/errors.ts'
import type { Connection } from '../connection.ts'
import { statementOf } from './statement.ts'
import { type SqlProject, sqlViews, tableFilters } from './views.ts'

/** A cell: 64-bit numbers are strings; arrays and maps are JSON texts. */
type SqlCell = string | number | boolean | null

type SqlAnswer = {
  columns: { name: string; type: string }[]
  rows: SqlCell[][]
  /** More rows match than the limit. */
  truncated: boolean
  rowsRead: number
  bytesRead: number
  elapsedMs: number
}

export type OwnerSqlStore = {
  /**
   * Runs one SELECT of a person over views that hold only the rows of these projects (`sql/`), with limits of time, rows
   * and memory. Throws SQL_REFUSED for a statement that may not or cannot run, QUERY_TIMEOUT over a limit,
   * REQUEST_OVERLOADED, STORE_UNAVAILABLE.
   */
  runSql(request: {
    sql: string
    projects: readonly SqlProject[]
    signal?: AbortSignal | undefined
  }): Promise<SqlAnswer>
  /** The views and their columns. */
  sqlViews(): { name: string; columns: string[] }[]
  /** A statement to begin with. */
  sqlExample(): string
}

/** A statement to begin with. */
const sqlExample = `SELECT level, count() AS events
FROM errors
WHERE timestamp > now() - INTERVAL 24 HOUR
GROUP BY level
ORDER BY events DESC`

/** Rows of an answer (docs/limits.md). */
const rowsMax = 10_000
const answerBytesMax = 32 * 1024 * 1024
/** A statement must leave memory for the screens: the embedded engine has 1 GiB by default. */
const memoryBytesMax = 384 * 1024 * 1024
/** Statements that run at once. Screens have the engine's other readers. */
const runningMax = 2

const limits: Readonly<Record<string, string>> = {
  limit: String(rowsMax + 1),
  max_result_bytes: String(answerBytesMax),
  result_overflow_mode: 'throw',
  max_memory_usage: String(memoryBytesMax),
  // Conditions of a statement must not run beside the one on projects, which is the only one in PREWHERE (sql/views.ts).
  optimize_move_to_prewhere: '0',
  // Nothing spills to the disk: a sort of everything would fill it.
  max_bytes_before_external_group_by: '0',
  max_bytes_before_external_sort: '0',
  max_bytes_ratio_before_external_group_by: '0',
  max_bytes_ratio_before_external_sort: '0',
  max_threads: '2',
  max_query_size: String(4 * 1024 * 1024),
  function_range_max_elements_in_block: '1000000',
  allow_ddl: '0',
  allow_introspection_functions: '0',
  output_format_json_quote_64bit_integers: '1',
  output_format_json_quote_denormals: '0',
}

/** Codes of a limit: time, memory, rows, bytes of the result. */
const limitCodes = new Set(['158', '191', '307', '396'])

/** The sentence of the engine's error, without the statement that it repeats. */
function sentenceOf(error: ClickHouseError): string {
  const [first = ''] = error.message.split(/[:.,]? (?:in scope|while (?:processing|executing)|stack trace)/i)
  return first
    .replace(/__(?:rows\.|with_)/g, '')
    .replace(/\s*\(version .*$/s, '')
    .slice(0, 300)
}

function failureOf(error: unknown): unknown {
  if (!(error instanceof ClickHouseError)) return error
  if (limitCodes.has(error.code))
    return new MishapError('QUERY_TIMEOUT', {
      detail: `The statement is over a limit: an answer has at most ${answerBytesMax / 2 ** 20} MiB.`,
    })
  return new MishapError('SQL_REFUSED', { detail: sentenceOf(error), causes: [sentenceOf(error)] })
}

const cellOf = (value: unknown): SqlCell =>
  value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? value
    : JSON.stringify(value)

/** Creates the statements of owners. */
export function createOwnerSql(connection: Connection, database: string): OwnerSqlStore {
  let running = 0
  return {
    sqlViews,
    sqlExample: () => sqlExample,
    async runSql({ sql, projects, signal }) {
      const statement = statementOf(sql, database, projects)
      if (running >= runningMax) throw new MishapError('REQUEST_OVERLOADED', { retryAfterS: 5 })
      running++
      try {
        const filters = { additional_table_filters: tableFilters(database, projects) }
        const found = await connection.readOnly(statement, { ...limits, ...filters }, signal)
        return {
          columns: found.meta,
          rows: found.data.slice(0, rowsMax).map((row) => row.map(cellOf)),
          truncated: found.data.length > rowsMax,
          rowsRead: found.statistics.rows_read,
          bytesRead: found.statistics.bytes_read,
          elapsedMs: Math.round(found.statistics.elapsed * 1000),
        }
      } catch (error) {
        throw failureOf(error)
      } finally {
        running--
      }
    },
  }
}
