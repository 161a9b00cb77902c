import type { SeenEvent } from '../../store/events/events.ts'
import type { Issue } from '../../store/meta/meta.ts'
import { csvLine } from '../events/csv.ts'
import { normalOf } from './event.ts'
import { type EventListRequest, eventRowsOf } from './event-list.ts'
import type { QueryDeps } from './issue.ts'

/** Events of one file: about 50 MB, and some seconds of work. */
const eventsMax = 100_000
/** Rows per query: each has its payload. */
const rowsPerPage = 200
/** Tags of the newest events that become columns if none are named. */
const tagEventsMax = 5_000
const columnsMax = 60

const fixed = ['event_id', 'timestamp', 'title', 'message']

function lineOf(row: SeenEvent, columns: readonly string[]): string {
  const { findings, logentry } = normalOf(row)
  const at = new Date(Math.floor(row.timestampUs / 1000)).toISOString()
  return csvLine([
    row.eventId,
    at,
    findings.title,
    logentry?.formatted ?? '',
    ...columns.map((key) => row.tags[key] ?? ''),
  ])
}

/**
 * The events of an issue as lines of a CSV file, newest first, at most 100,000: id, time, title, message, and a column
 * for each named tag, by default for every tag of the newest 5,000 events. The first page is read before this resolves,
 * so that a wrong query is an answer and no broken file. Throws like `listEvents`.
 */
export async function eventCsv(
  deps: QueryDeps,
  issue: Issue,
  { columns, ...request }: Omit<EventListRequest, 'limit' | 'cursor'> & { columns: readonly string[] },
): Promise<AsyncGenerator<string>> {
  const { scope } = request
  const first = await eventRowsOf(deps, issue, { ...request, limit: rowsPerPage })
  const hashes = (await deps.meta.issues.hashesOf([issue.id])).get(issue.id) ?? []
  const { projectId } = issue
  const keys =
    columns.length > 0
      ? columns
      : (await deps.events.tagsOf({ projectId, hashes, scope, max: tagEventsMax, valuesMax: 1 })).map((tag) => tag.key)
  const shown = [...new Set(keys)].slice(0, columnsMax)
  return (async function* lines() {
    yield csvLine([...fixed, ...shown])
    let page = first
    for (let count = 0; ; ) {
      const rows = page.rows.slice(0, eventsMax - count)
      count += rows.length
      if (rows.length > 0) yield rows.map((row) => lineOf(row, shown)).join('')
      if (!page.next.results || count >= eventsMax) return
      page = await eventRowsOf(deps, issue, { ...request, limit: rowsPerPage, cursor: page.next.cursor })
    }
  })()
}
