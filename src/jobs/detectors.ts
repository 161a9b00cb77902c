import type { Clock } from '../base/clock.ts'
import { detect } from '../domain/detect.ts'
import { type DetectionRecord, detectionOf } from '../domain/detection.ts'
import { detectionEventId, detectionHash } from '../domain/detection-ids.ts'
import { type TraceSegment, traceSegmentsOf } from '../domain/detector-rows.ts'
import { defaultDetectors, type ProjectDetectors } from '../domain/detectors.ts'
import type { CandidateLimits, TraceKey } from '../store/events/detector-store.ts'
import type { EventStore } from '../store/events/event-store.ts'
import type { MetaWith } from '../store/meta/meta-store.ts'

type DetectDeps = {
  clock: Clock
  meta: MetaWith<
    'batches.cursor' | 'values.getValue' | 'values.setValue' | 'projects.projectById' | 'projects.listDetectorSettings'
  >
  events: Pick<EventStore, 'detectorCandidates' | 'spansOfTraces' | 'eventsAmong'>
  /** Appends a record of kind `detection` to the journal. */
  append(project: { id: number; organizationId: number }, body: Buffer): Promise<number>
}

/** Everything before `to` was examined. `from` is where that step began. */
type Cursor = { from: number; to: number }
const cursorName = 'detectors_cursor'

/** A trace without new spans for so long is complete. SDKs of browsers and servers send a segment at once, or within 5 s. */
const idleMs = 10_000
/** Positions are bytes of the journal: about 200,000 spans. */
const stepBytes = 64 * 1024 * 1024
const stepsMax = 20
/** Traces that a step examines. More would delay the screens; their issues are found in other traces (docs/detectors.md). */
const tracesMax = 400
const tracesAtOnce = 50
const spansOfTraceMax = 5000

type Totals = { traces: number; skipped: number; found: number }

/** The detectors' part of the work in the background. */
export type Detecting = {
  /**
   * Examines the traces that came since the last run and are complete, and appends what it finds to the journal. Safe to
   * repeat: a finding has the same event id each time. Does nothing while all detectors are off.
   */
  run(): Promise<Record<string, unknown>>
  /**
   * Call it before refine starts: a version that has detectors for the first time begins at the spans that come from now
   * on. There can be ten million older ones.
   */
  begin(): Promise<void>
}

function readCursor(text: string | undefined): Cursor | undefined {
  if (text === undefined) return undefined
  const { from, to } = JSON.parse(text) as Partial<Cursor>
  return typeof from === 'number' && typeof to === 'number' ? { from, to } : undefined
}

/** The smallest thresholds of all projects. Detectors that are off nowhere raise them. */
export function limitsOf(settings: readonly ProjectDetectors[]): CandidateLimits {
  const never = 2 ** 40
  const least = (detector: keyof ProjectDetectors, threshold: string) =>
    Math.min(
      never,
      ...settings.map((own) => (own[detector].active ? (own[detector].thresholds[threshold] ?? never) : never)),
    )
  return {
    repeatsMin: least('nPlusOneQueries', 'countMin'),
    repeatedUs: least('nPlusOneQueries', 'totalMs') * 1000,
    statementUs: least('slowQueries', 'durationMs') * 1000,
    requestsMin: least('consecutiveRequests', 'countMin'),
    requestUs: least('consecutiveRequests', 'durationMs') * 1000,
    assetUs: least('renderBlockingAssets', 'durationMs') * 1000,
  }
}

const recordOf = (
  segment: TraceSegment,
  detector: Parameters<typeof detectionOf>[1],
  finding: Parameters<typeof detectionOf>[2],
): DetectionRecord => {
  const detection = detectionOf(segment, detector, finding)
  const { environment, release, platform } = segment
  return { eventId: detectionEventId(detection), environment, release, platform, detection }
}

/** What the detectors find in the spans of some traces, by project and event id. */
function recordsOf(
  rows: Parameters<typeof traceSegmentsOf>[0],
  settingsOf: (projectId: number) => ProjectDetectors,
): Map<number, Map<string, DetectionRecord>> {
  const records = new Map<number, Map<string, DetectionRecord>>()
  for (const segment of traceSegmentsOf(rows))
    for (const { detector, finding } of detect(segment, settingsOf(segment.projectId))) {
      const record = recordOf(segment, detector, finding)
      const own = records.get(segment.projectId) ?? new Map<string, DetectionRecord>()
      if (!own.has(record.eventId)) own.set(record.eventId, record)
      records.set(segment.projectId, own)
    }
  return records
}

/** Remembers how far the commits are. Each call returns up to where traces are complete; 0 if that is not known yet. */
function createHorizon(clock: Clock, cursor: () => Promise<number>): () => Promise<number> {
  /** Committed positions at earlier times, oldest first: what is before the first of them is complete. */
  const seen: { atMs: number; jpos: number }[] = []
  return async () => {
    const nowMs = clock.now()
    seen.push({ atMs: nowMs, jpos: await cursor() })
    while (seen[1] && seen[1].atMs <= nowMs - idleMs) seen.shift()
    const [oldest] = seen
    return oldest && oldest.atMs <= nowMs - idleMs ? oldest.jpos : 0
  }
}

/** Appends what is not stored yet. Returns the number of appended records. */
async function appendNew(
  { meta, events, append }: Pick<DetectDeps, 'meta' | 'events' | 'append'>,
  projectId: number,
  records: readonly DetectionRecord[],
): Promise<number> {
  const project = await meta.projects.projectById(projectId)
  if (!project) return 0
  const hashes = [...new Set(records.map(({ detection }) => detectionHash(detection)))]
  const ids = records.map(({ eventId }) => eventId)
  const known = new Set(await events.eventsAmong(projectId, hashes, ids))
  const fresh = records.filter(({ eventId }) => !known.has(eventId))
  for (const record of fresh) await append(project, Buffer.from(JSON.stringify(record)))
  return fresh.length
}

/** Creates the detection over stored spans. */
export function createDetecting({ clock, meta, events, append }: DetectDeps): Detecting {
  const completeTo = createHorizon(clock, meta.batches.cursor)

  /** Examines some traces. Returns the number of new findings. */
  async function examine(
    traces: readonly TraceKey[],
    receivedMs: number,
    settingsOf: (projectId: number) => ProjectDetectors,
  ): Promise<number> {
    const rows = await events.spansOfTraces(traces, receivedMs, spansOfTraceMax)
    let found = 0
    for (const [projectId, own] of recordsOf(rows, settingsOf))
      found += await appendNew({ meta, events, append }, projectId, [...own.values()])
    return found
  }

  async function step(cursor: Cursor, to: number, settings: ReadonlyMap<number, ProjectDetectors>): Promise<Totals> {
    const limits = limitsOf([defaultDetectors, ...settings.values()])
    const { traces, total, receivedMs } = await events.detectorCandidates({
      sinceJpos: cursor.from,
      fromJpos: cursor.to,
      toJpos: to,
      limits,
      max: tracesMax,
    })
    const settingsOf = (projectId: number) => settings.get(projectId) ?? defaultDetectors
    let found = 0
    for (let at = 0; at < traces.length; at += tracesAtOnce)
      found += await examine(traces.slice(at, at + tracesAtOnce), receivedMs, settingsOf)
    return { traces: traces.length, skipped: total - traces.length, found }
  }

  return {
    begin: async () => {
      if (readCursor(await meta.values.getValue(cursorName))) return
      const jpos = await meta.batches.cursor()
      await meta.values.setValue(cursorName, JSON.stringify({ from: jpos, to: jpos }))
    },

    run: async () => {
      const end = await completeTo()
      let cursor = readCursor(await meta.values.getValue(cursorName))
      // Refine has not started yet.
      if (!cursor) return {}
      const totals: Totals = { traces: 0, skipped: 0, found: 0 }
      const settings = new Map(
        (await meta.projects.listDetectorSettings()).map(({ projectId, detectors }) => [projectId, detectors]),
      )
      for (let at = 0; at < stepsMax && cursor.to < end; at++) {
        const to: number = Math.min(end, cursor.to + stepBytes)
        const done = await step(cursor, to, settings)
        for (const name of ['traces', 'skipped', 'found'] as const) totals[name] += done[name]
        cursor = { from: cursor.to, to }
        await meta.values.setValue(cursorName, JSON.stringify(cursor))
      }
      return totals
    },
  }
}
