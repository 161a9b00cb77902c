import type { Connection } from './connection.ts'
import { createFacets } from './searching/facets.ts'
import { createNewestSpans } from './searching/newest.ts'
import { createSpanGroups, createSpanRows, createSpanSeries } from './searching/rows.ts'
import { createTraceSummaries } from './searching/summaries.ts'
import type { SpanSearchStore } from './span-search.ts'

/** Creates the searches over spans. */
export function createSpanSearch(connection: Connection, database: string): SpanSearchStore {
  const table = `${database}.spans`
  return {
    newestSpans: createNewestSpans(connection, table),
    spanRows: createSpanRows(connection, table),
    spanGroups: createSpanGroups(connection, table),
    spanSeries: createSpanSeries(connection, table),
    traceSummaries: createTraceSummaries(connection, database),
    ...createFacets(connection, table),
  }
}
