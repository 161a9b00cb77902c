import type { RestTraceView, RestTraceViewEvent } from '../../contract/explore/trace-views.ts'
import type { TraceSpans } from '../../domain/traces/trace-spans.ts'
import { byStart } from '../../domain/traces/trace-tree.ts'
import type { EventStore } from '../../store/events/event-store.ts'
import type { EventRef, EventSpan } from '../../store/events/events.ts'
import type { LogLine } from '../../store/events/log-search.ts'
import type { TextColumn, TraceColumns, TraceProjects } from '../../store/events/trace-store.ts'
import type { Issue, Project } from '../../store/meta/meta.ts'
import type { MetaWith } from '../../store/meta/meta-store.ts'
import { normalizeSpanId } from '../../wire/ids.ts'
import { idOfLine } from '../logs/line.ts'

type TraceViewDeps = {
  events: Pick<
    EventStore,
    'traceSpans' | 'largestSpans' | 'traceTotals' | 'byTraceId' | 'spansOfEvents' | 'logsOfTrace'
  >
  meta: MetaWith<'issues.issueIdsOf' | 'issues.issueById' | 'feedback.feedbackOfIssue' | 'retention.downsampledDays'>
}

/** The organization's projects, in the order of the sidebar, and those that the reader may read. */
type TraceReader = { projects: readonly Project[]; readable: readonly Project[] }

/** Limit of spans that a view holds. A request can raise it up to the second number. */
export const viewSpansMax = 50_000
export const viewSpansMost = 200_000
/** Spans of the sample of a larger trace. */
const sampleSpans = 5000
/** A trace up to this size is read by one query. Of a larger one these rows are read again, with all others. */
const smallSpans = 2000
const errorsMax = 100
const findingsMax = 50
const logsMax = 200
const logCharactersMax = 500
/** After every line: the events store knows times until 2106. */
const everMs = 4_294_967_295_000
const feedbackMax = 20
const dayUs = 86_400_000_000

/** Numbers texts: 0 is ''. */
function createTexts(): { texts: string[]; numberOf(text: string): number } {
  const texts = ['']
  const numbers = new Map([['', 0]])
  return {
    texts,
    numberOf(text) {
      const known = numbers.get(text)
      if (known !== undefined) return known
      numbers.set(text, texts.length)
      return texts.push(text) - 1
    },
  }
}

/** The indexes of `columns` by start, each span of a project once. */
function onceByStart({ ids, projectIds, starts, durationsUs }: TraceColumns): number[] {
  const known = new Map<number, Set<string>>()
  const kept: number[] = []
  for (const at of byStart(starts, durationsUs, ids.length)) {
    const project = projectIds[at] ?? 0
    const ofProject = known.get(project) ?? new Set<string>()
    known.set(project, ofProject)
    const id = ids[at] ?? ''
    if (ofProject.has(id)) continue
    ofProject.add(id)
    kept.push(at)
  }
  return kept
}

function compactSpans(columns: TraceColumns, kept: readonly number[], places: Map<number, number>) {
  const { texts, numberOf } = createTexts()
  const pick = <Value>(list: readonly Value[], none: Value) => kept.map((at) => list[at] ?? none)
  const numbers = (column: TextColumn) => {
    const known = new Int32Array(column.texts.length).fill(-1)
    return kept.map((at) => {
      const own = column.numbers[at] ?? 0
      let number = known[own] ?? 0
      if (number === -1) {
        number = numberOf(column.texts[own] ?? '')
        known[own] = number
      }
      return number
    })
  }
  const firstUs = columns.starts[kept[0] ?? 0] ?? 0
  const spans: TraceSpans & RestTraceView['spans'] = {
    texts,
    ids: pick(columns.ids, ''),
    parentIds: pick(columns.parentIds, ''),
    projects: kept.map((at) => places.get(columns.projectIds[at] ?? 0) ?? 0),
    segments: pick(columns.segments, 0),
    starts: kept.map((at) => (columns.starts[at] ?? 0) - firstUs),
    durations: pick(columns.durationsUs, 0),
    ops: numbers(columns.ops),
    names: numbers(columns.names),
    statuses: numbers(columns.statuses),
    failures: pick(columns.failures, 0),
    platforms: numbers(columns.platforms),
    environments: numbers(columns.environments),
    cuts: numbers(columns.cuts),
    segmentIds: numbers(columns.segmentIds),
  }
  return spans
}

type Read = { columns: TraceColumns; spanCount: number; byProject: Map<number, number> | undefined; isSampled: boolean }

/** Reads the spans: all of them, or a sample of a trace that has more than `max`. */
async function readSpans(
  { events }: TraceViewDeps,
  projects: TraceProjects,
  traceId: string,
  { max, isPreload }: { max: number; isPreload: boolean },
): Promise<Read> {
  const enough = Math.min(max, smallSpans)
  const all = { spanCount: 0, byProject: undefined, isSampled: false }
  if (isPreload) {
    const few = await events.traceSpans(projects, traceId, enough + 1)
    const isSampled = few.ids.length > enough
    return { ...all, columns: few, isSampled, spanCount: isSampled ? few.ids.length : 0 }
  }
  // The first rows and the count are read at once, and what comes first decides. One after the other took a trace of
  // 25,000 spans 19 ms longer. Reading 50,001 of two million spans in vain took 118 ms of CPU in this process alone.
  const rest = new AbortController()
  const few = events.traceSpans(projects, traceId, enough + 1, rest.signal)
  const counted = events.traceTotals(projects, traceId, rest.signal)
  const decided = counted.then(
    ({ spans }) => (spans > enough ? undefined : few),
    // A small trace does not need its count.
    () => few,
  )
  const first = await Promise.race([few, decided])
  if (first && first.ids.length <= enough) {
    rest.abort()
    return { ...all, columns: first }
  }
  const totals = await counted
  few.catch(() => undefined)
  rest.abort()
  if (totals.spans <= max) return { ...all, columns: await events.traceSpans(projects, traceId, max) }
  const columns = await events.largestSpans(projects, traceId, Math.min(max, sampleSpans))
  return { columns, spanCount: totals.spans, byProject: totals.byProject, isSampled: true }
}

type SpanName = Pick<EventSpan, 'projectId' | 'spanId' | 'parentId'>

/** Finds the span of an event or log line: its own, else the one above it. Spans of the event's project come first. */
function placer(columns: TraceColumns, kept: readonly number[]): (own: SpanName | undefined) => number {
  const byKey = new Map<string, number>()
  const byId = new Map<string, number>()
  for (let place = kept.length - 1; place >= 0; place--) {
    const at = kept[place] ?? 0
    const id = columns.ids[at] ?? ''
    byId.set(id, place)
    byKey.set(`${columns.projectIds[at]} ${id}`, place)
  }
  const find = (projectId: number, id: string | undefined) =>
    id ? (byKey.get(`${projectId} ${id}`) ?? byId.get(id)) : undefined
  return (own) =>
    own
      ? (find(own.projectId, normalizeSpanId(own.spanId)) ?? find(own.projectId, normalizeSpanId(own.parentId)) ?? -1)
      : -1
}

type Events = { refs: EventRef[]; findings: EventRef[]; owns: Map<string, EventSpan>; isTruncated: boolean }
const keyOf = ({ projectId, eventId }: { projectId: number; eventId: string }) => `${projectId} ${eventId}`

/** Errors, and what detectors found: both are events of the trace, and one query reads them. */
async function readEvents({ events }: TraceViewDeps, readable: readonly number[], traceId: string): Promise<Events> {
  const max = errorsMax + findingsMax
  const found = await events.byTraceId([...readable], traceId, max + 1)
  const owns = new Map((await events.spansOfEvents(found)).map((own) => [keyOf(own), own]))
  const isFinding = (ref: EventRef) => owns.get(keyOf(ref))?.type === 'generic'
  const errors = found.filter((ref) => !isFinding(ref))
  return {
    refs: errors.slice(0, errorsMax),
    findings: found.filter(isFinding).slice(0, findingsMax),
    owns,
    isTruncated: errors.length > errorsMax || found.length > max,
  }
}

type Placing = { originUs: number; places: Map<number, number>; spanOf(own: SpanName | undefined): number }

/** The log lines of a trace at their spans. */
const listLogs = (lines: readonly LogLine[], { originUs, places, spanOf }: Placing): RestTraceView['logs'] =>
  lines.slice(0, logsMax).map((line) => ({
    id: idOfLine(line),
    level: line.level,
    message: line.body.slice(0, logCharactersMax),
    project: places.get(line.projectId) ?? 0,
    at: line.timeUs - originUs,
    span: spanOf({ projectId: line.projectId, spanId: line.spanId, parentId: '' }),
  }))

type Described = Pick<Issue, 'id' | 'shortId' | 'title' | 'level'>

/** An event at its span, with its issue if it has one. */
const eventAt = (
  { projectId, eventId, timestampUs }: EventRef,
  issue: Described | undefined,
  own: EventSpan | undefined,
  { originUs, places, spanOf }: Placing,
): RestTraceViewEvent => ({
  eventID: eventId,
  groupID: issue ? String(issue.id) : null,
  shortId: issue?.shortId ?? null,
  title: own?.title || (issue?.title ?? ''),
  type: own?.errorType ?? '',
  level: own?.level || (issue?.level ?? 'error'),
  project: places.get(projectId) ?? 0,
  at: timestampUs - originUs,
  span: spanOf(own),
})

/** The performance issues of a trace at their spans. */
async function listFindings(
  { meta }: TraceViewDeps,
  { findings, owns }: Events,
  placing: Placing,
): Promise<RestTraceViewEvent[]> {
  if (findings.length === 0) return []
  const issueIds = await meta.issues.issueIdsOf(findings)
  return Array.fromAsync(findings, async (ref) => {
    const id = issueIds.get(`${ref.projectId}:${ref.groupHash}`)
    const issue = id === undefined ? undefined : await meta.issues.issueById(id)
    return eventAt(ref, issue, owns.get(keyOf(ref)), placing)
  })
}

async function listEvents(
  { meta }: TraceViewDeps,
  { refs, owns }: Events,
  placing: Placing,
): Promise<{ events: RestTraceViewEvent[]; feedback: RestTraceView['feedback'] }> {
  const { originUs, places, spanOf } = placing
  const issueIds = await meta.issues.issueIdsOf(refs)
  const feedback: RestTraceView['feedback'] = []
  const asked = new Set<number>()
  const ofEvent = new Map(refs.map((ref) => [keyOf(ref), ref]))
  const events = await Array.fromAsync(refs, async (ref) => {
    const id = issueIds.get(`${ref.projectId}:${ref.groupHash}`)
    const issue = id === undefined ? undefined : await meta.issues.issueById(id)
    const own = owns.get(keyOf(ref))
    if (issue && !asked.has(issue.id)) {
      asked.add(issue.id)
      for (const item of await meta.feedback.feedbackOfIssue(issue.id, feedbackMax)) {
        const about = ofEvent.get(keyOf(item))
        if (!about) continue
        feedback.push({
          id: item.id,
          groupID: String(issue.id),
          name: item.name,
          message: item.message.slice(0, 500),
          project: places.get(item.projectId) ?? 0,
          at: about.timestampUs - originUs,
          span: spanOf(owns.get(keyOf(about))),
        })
      }
    }
    return eventAt(ref, issue, own, placing)
  })
  return { events, feedback }
}

/** The projects of the trace: in the order of the sidebar, those that the reader may not read last and without names. */
function projectsOf(
  { projects, readable }: TraceReader,
  counts: ReadonlyMap<number, number>,
): { list: RestTraceView['projects']; places: Map<number, number> } {
  const known = new Map(readable.map((project, place) => [project.id, place]))
  const placeOf = (id: number) => known.get(id) ?? -1
  const used = projects
    .filter((project) => counts.has(project.id))
    .toSorted((a, b) => Number(!known.has(a.id)) - Number(!known.has(b.id)) || placeOf(a.id) - placeOf(b.id))
  const list = used.map(({ id, slug, platform }) => {
    const isReadable = known.has(id)
    return {
      id: isReadable ? String(id) : null,
      slug: isReadable ? slug : null,
      platform: isReadable ? platform : null,
      place: placeOf(id),
      spans: counts.get(id) ?? 0,
    }
  })
  return { list, places: new Map(used.map((project, place) => [project.id, place])) }
}

/**
 * The days whose spans the disk budget removed in part, for a trace without spans. Spans arrive within a day of the
 * trace's events, if there are any at `atUs`. The number of removed spans is that of the whole instance, so it stays here.
 */
async function downsampledOf({ meta }: TraceViewDeps, atUs: number | undefined): Promise<RestTraceView['downsampled']> {
  const all = (await meta.retention.downsampledDays()).filter(({ spans }) => spans > 0)
  const near = ({ day }: { day: string }) => {
    const start = Date.parse(day) * 1000
    return atUs === undefined || (atUs >= start - dayUs && atUs < start + dayUs)
  }
  const days = all.filter(near)
  const [first, last] = [days[0], days.at(-1)]
  if (!first || !last) return null
  return { from: first.day, to: last.day }
}

/**
 * Reads a trace over the projects of an organization, in the compact form of the trace page. Spans of projects that the
 * reader may not read have no texts. A trace that has nothing else is empty, like a trace that does not exist.
 * `max`: limit of spans, at most `viewSpansMost`. `isPreload`: a trace that one query does not read whole is cut and
 * marked as a sample, without the queries for a good sample. Throws MishapError QUERY_TIMEOUT or STORE_UNAVAILABLE.
 */
export async function traceView(
  deps: TraceViewDeps,
  reader: TraceReader,
  traceId: string,
  { keptDays, max = viewSpansMax, isPreload = false }: { keptDays: number; max?: number; isPreload?: boolean },
): Promise<RestTraceView> {
  const readable = reader.readable.map((project) => project.id)
  const projects = { all: reader.projects.map((project) => project.id), readable }
  const [read, found, lines] = await Promise.all([
    readSpans(deps, projects, traceId, { max: Math.min(max, viewSpansMost), isPreload }),
    readEvents(deps, readable, traceId),
    deps.events.logsOfTrace({
      projectIds: readable,
      traceId,
      fromMs: 0,
      toMs: everMs,
      max: logsMax + 1,
      newest: false,
    }),
  ])
  const isSeen = new Set(readable)
  const isEmpty = found.refs.length + lines.length === 0 && !read.columns.projectIds.some((id) => isSeen.has(id))
  const { columns } = read
  const kept = isEmpty ? [] : onceByStart(columns)
  const counts = new Map<number, number>(isEmpty ? [] : (read.byProject ?? []))
  if (!read.byProject)
    for (const at of kept) {
      const id = columns.projectIds[at] ?? 0
      counts.set(id, (counts.get(id) ?? 0) + 1)
    }
  for (const { projectId } of [...found.refs, ...lines]) counts.set(projectId, counts.get(projectId) ?? 0)
  const { list, places } = projectsOf(reader, counts)
  const [first] = kept
  const originUs =
    first === undefined
      ? (found.refs[0]?.timestampUs ?? lines[0]?.timeUs ?? 0)
      : columns.originUs + (columns.starts[first] ?? 0)
  const placing = { originUs, places, spanOf: placer(columns, kept) }
  const atId = new Map(kept.map((at, place) => [columns.ids[at] ?? '', place]))
  return {
    traceID: traceId,
    origin: originUs,
    spanCount: read.isSampled && !isEmpty ? read.spanCount : kept.length,
    isSampled: read.isSampled && !isEmpty,
    keptDays,
    downsampled: kept.length > 0 ? null : await downsampledOf(deps, found.refs[0]?.timestampUs ?? lines[0]?.timeUs),
    projects: list,
    spans: compactSpans(columns, kept, places),
    vitals: isEmpty
      ? []
      : columns.measurements.flatMap(([id, values]) => {
          const span = atId.get(id)
          return span === undefined ? [] : [{ span, values }]
        }),
    ...(await listEvents(deps, found, placing)),
    // Their evidence is spans: without any, they say nothing here.
    findings: kept.length > 0 ? await listFindings(deps, found, placing) : [],
    eventsTruncated: found.isTruncated,
    logs: listLogs(lines, placing),
    logsTruncated: lines.length > logsMax,
  }
}
