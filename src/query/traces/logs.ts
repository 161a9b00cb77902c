import { MishapError } from '../../base/errors.ts'
import type { RestTraceLogs } from '../../contract/explore/dataset-search.ts'
import type { PlanView } from '../compile/dataset.ts'
import { fieldsOfDataset } from '../compile/datasets.ts'
import type { Page } from '../cursor.ts'
import { datasetTable } from '../explore/dataset-table.ts'
import type { QueryDeps } from '../issues/issue.ts'
import { parseSearch } from '../search/parse.ts'

/** Traces of one request at most. Each is looked up in the index of traces. */
const tracesMax = 20

type TraceLogsRequest = {
  traceIds: readonly string[]
  query: string
  sort: readonly string[]
  limit: number
  cursor?: string | undefined
  signal?: AbortSignal | undefined
}

const fields = [
  'sentry.item_id',
  'project.id',
  'project',
  'trace',
  'span_id',
  'severity',
  'severity_number',
  'message',
  'timestamp',
  'timestamp_precise',
]

const textOrNull = (cell: unknown) => (cell === null || cell === undefined ? null : String(cell))

/** Returns the log lines of traces, newest first. Throws VALIDATION for what is no trace id, QUERY_*, STORE_UNAVAILABLE. */
export async function traceLogs(
  deps: QueryDeps,
  view: PlanView,
  { traceIds, query, ...request }: TraceLogsRequest,
): Promise<Page<RestTraceLogs['data'][number]> & { meta: RestTraceLogs['meta'] }> {
  const wrong = (sentence: string) => new MishapError('VALIDATION', { fields: { traceId: [sentence] } })
  if (traceIds.length === 0 || traceIds.length > tracesMax) throw wrong(`1 to ${tracesMax} traces.`)
  const strange = traceIds.find((id) => !/^[0-9a-f]{32}$/i.test(id.replaceAll('-', '')))
  if (strange !== undefined) throw wrong(`${JSON.stringify(strange.slice(0, 100))} is no id of a trace.`)
  const traces = `trace:[${traceIds.map((id) => id.replaceAll('-', '').toLowerCase()).join(', ')}]`
  // Refused by itself: in parentheses, `a) OR (b` would be a search that leaves the traces.
  parseSearch(query, fieldsOfDataset('logs').keyOf)
  const { rows, meta, ...page } = await datasetTable(deps, view, 'logs', {
    ...request,
    fields,
    // Parentheses: an OR of the query must not widen the list to other traces.
    query: query.trim() === '' ? traces : `${traces} (${query})`,
    withCut: false,
  })
  const data = rows.map((row): RestTraceLogs['data'][number] => ({
    id: String(row['sentry.item_id']),
    'project.id': Number(row['project.id']),
    project: String(row['project']),
    trace: String(row['trace'] ?? ''),
    span_id: textOrNull(row['span_id']),
    severity: String(row['severity'] ?? ''),
    severity_number: row['severity_number'] === null ? null : Number(row['severity_number']),
    message: String(row['message'] ?? ''),
    timestamp: String(row['timestamp']),
    timestamp_precise: Number(row['timestamp_precise']),
  }))
  return { ...page, rows: data, meta }
}
