import { downsampledSpansTables, removedSpansName } from '../schema/downsampled-spans.ts'
import { segmentsName, segmentsTable } from '../schema/segments.ts'
import { spanRollupName, spanRollupTable } from '../schema/span-rollup.ts'
import { spansTable as spansDdl } from '../schema/spans.ts'
import type { SpanRow } from '../span-store.ts'
import type { StoredTable } from '../table.ts'
import { encodeSpanRow, spanColumns } from '../traces/encode-span.ts'

/** Spans from transactions and span items, about a hundred per event. */
export const spansTable: StoredTable<SpanRow> = {
  name: 'spans',
  ddl: (database, kind) => [
    spansDdl(database, kind),
    spanRollupTable(database, kind),
    segmentsTable(database, kind),
    ...downsampledSpansTables(database, kind),
  ],
  columns: spanColumns,
  encode: encodeSpanRow,
  place: 'place',
  token: 'spans',
  // One insert per batch unless it is very large: the engine keeps a whole insert in memory.
  insertBytesMax: 16 * 1024 * 1024,
  hasRollups: true,
  derived: [spanRollupName, segmentsName, removedSpansName],
  derivedDay: 'day',
  partition: { day: 'toDate(received)', days: 1 },
  retentionDays: ({ retentionSpansDays }) => retentionSpansDays,
  // Before any event: no statistic of an issue depends on spans.
  dropFirst: 1,
  hasIssues: false,
  categories: ['span', 'transaction'],
  tally: {
    sentence: 'The transactions and spans that the ledger counts as stored are stored.',
    category: "if(is_segment AND item = 'transaction', 'transaction', 'span')",
    quantity: 'count()',
  },
  evictedName: 'spans-gone',
}
