import type { Connection } from './connection.ts'
import type { QuestionStore } from './question.ts'
import { explain } from './searching/explain.ts'
import { createFacets } from './searching/facets.ts'
import { createNewestPart } from './searching/newest.ts'
import { createGroupRows, createLargestOfBuckets, createListRows, createSeriesOfRows } from './searching/rows.ts'
import { createTraceSummaries } from './searching/summaries.ts'
import { createRemovedHours, createUniqueOfWindows } from './searching/windows.ts'
import type { SpanSearchStore } from './span-search.ts'

/** Creates the questions over every table. */
export function createQuestions(connection: Connection, database: string): QuestionStore & SpanSearchStore {
  return {
    newestPart: createNewestPart(connection, database),
    listRows: createListRows(connection, database),
    groupRows: createGroupRows(connection, database),
    seriesOfRows: createSeriesOfRows(connection, database),
    largestOfBuckets: createLargestOfBuckets(connection, database),
    removedHours: createRemovedHours(connection, database),
    uniqueOfWindows: createUniqueOfWindows(connection, database),
    traceSummaries: createTraceSummaries(connection, database),
    explain,
    ...createFacets(connection, database),
  }
}
