import type { RestEvent } from '../../contract/events.ts'
import type { RestLogLine, RestTraceMoment } from '../../contract/explore/logs.ts'
import type { EventStore } from '../../store/events/event-store.ts'
import type { LogLine } from '../../store/events/log-search.ts'
import type { TraceColumns } from '../../store/events/trace-store.ts'
import { normalizeId } from '../../wire/ids.ts'
import { toRestLine } from './line.ts'

/** The part of a trace that an error's timeline shows. A trace can be hours long. */
const [beforeMs, afterMs] = [10 * 60_000, 60_000]
const [linesBefore, linesAfter] = [60, 20]
const spansMax = 40
/** Spans that are read to find those near a time. */
const spansRead = 2000

/** The spans that began last before a time, oldest first. */
function nearSpans(columns: TraceColumns, atUs: number): RestTraceMoment['spans'] {
  const { ids, originUs, starts, durationsUs, ops, names, failures, projectIds } = columns
  const startOf = (at: number) => originUs + (starts[at] ?? 0)
  return [...ids.keys()]
    .filter((at) => startOf(at) >= atUs - beforeMs * 1000 && startOf(at) <= atUs + afterMs * 1000)
    .sort((a, b) => startOf(a) - startOf(b))
    .slice(-spansMax)
    .map((at) => ({
      id: ids[at] ?? '',
      projectID: String(projectIds[at] ?? 0),
      op: ops.texts[ops.numbers[at] ?? 0] ?? '',
      name: names.texts[names.numbers[at] ?? 0] ?? '',
      start: new Date(Math.round(startOf(at) / 1000)).toISOString(),
      duration: (durationsUs[at] ?? 0) / 1000,
      failed: failures[at] === 1,
    }))
}

/** The lines of a trace around a time, oldest first: those nearest to it on both sides. */
async function linesAround(
  events: Pick<EventStore, 'logsOfTrace'>,
  asked: { projectIds: readonly number[]; traceId: string },
  atMs: number,
): Promise<LogLine[]> {
  const [before, after] = await Promise.all([
    // The line of the error itself is often of the same millisecond.
    events.logsOfTrace({ ...asked, fromMs: atMs - beforeMs, toMs: atMs + 1, max: linesBefore, newest: true }),
    events.logsOfTrace({ ...asked, fromMs: atMs + 1, toMs: atMs + afterMs, max: linesAfter, newest: false }),
  ])
  return [...before, ...after]
}

/** The log lines of an event's trace around the event; none without a trace. Throws STORE_UNAVAILABLE. */
export async function linesOfEvent(
  { events }: { events: Pick<EventStore, 'logsOfTrace'> },
  readable: readonly number[],
  { traceId, dateCreated }: Pick<RestEvent, 'traceId' | 'dateCreated'>,
): Promise<RestLogLine[]> {
  const id = normalizeId(traceId)
  if (id === undefined) return []
  return (await linesAround(events, { projectIds: readable, traceId: id }, Date.parse(dateCreated))).map(toRestLine)
}

/** Returns log lines and spans of a trace around a time, in the projects that the reader may read. Throws STORE_UNAVAILABLE. */
export async function traceMoment(
  { events }: { events: Pick<EventStore, 'logsOfTrace' | 'traceSpans'> },
  readable: readonly number[],
  traceId: string,
  atMs: number,
): Promise<RestTraceMoment> {
  const [lines, spans] = await Promise.all([
    linesAround(events, { projectIds: readable, traceId }, atMs),
    events.traceSpans({ all: readable, readable }, traceId, spansRead),
  ])
  return { lines: lines.map(toRestLine), spans: nearSpans(spans, atMs * 1000) }
}
