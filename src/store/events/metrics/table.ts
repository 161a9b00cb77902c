import type { MetricRow } from '../metric-store.ts'
import type { StoredTable } from '../table.ts'
import { encodeMetricRow, metricColumns } from './encode.ts'
import { metricsTable as metricsDdl } from './schema.ts'

/** Points of metrics, from SDKs and from OpenTelemetry. */
export const metricsTable: StoredTable<MetricRow> = {
  name: 'metrics',
  ddl: (database, kind) => [metricsDdl(database, kind)],
  columns: metricColumns,
  encode: encodeMetricRow,
  place: 'place',
  token: 'metrics',
  // One insert per batch unless it is very large: the engine keeps a whole insert in memory.
  insertBytesMax: 16 * 1024 * 1024,
  hasRollups: false,
  derived: [],
  derivedDay: 'toDate(received)',
  partition: { day: 'toDate(received)', days: 1 },
  retentionDays: ({ retentionMetricsDays }) => retentionMetricsDays,
  // After spans and logs: a day of metrics is small, and its long history is its use.
  dropFirst: 3,
  hasIssues: false,
  categories: ['trace_metric'],
  tally: {
    sentence: 'The points of metrics that the ledger counts as stored are stored.',
    category: "'trace_metric'",
    quantity: 'sum(entries)',
  },
  evictedName: 'metrics-gone',
}
