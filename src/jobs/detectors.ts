import type { Clock } from '../base/clock.ts'
import { isOutage, MishapError } from '../base/errors.ts'
import { detect } from '../domain/detectors/detect.ts'
import { type DetectionRecord, detectionOf } from '../domain/detectors/detection.ts'
import { detectionEventId, detectionHash } from '../domain/detectors/detection-ids.ts'
import { type DetectorRow, type TraceSegment, traceSegmentsOf } from '../domain/detectors/detector-rows.ts'
import { defaultDetectors, type ProjectDetectors } from '../domain/detectors/detectors.ts'
import type { CandidateLimits, CandidateTrace } from '../store/events/detector-store.ts'
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
const tracesOfProjectMax = 100
const spansOfTraceMax = 5000
/** Spans of one answer: 30 MB at most (`detector-rows.ts`). 250,000 spans with all attributes were over the engine's limit. */
const spansAtOnce = 10_000
const tracesAtOnce = 50
/** A run that is further behind leaves out what is older, so that a stop of the job cannot grow without end. */
const behindMaxBytes = stepsMax * stepBytes
/** A step whose query fails so often is left out. The engine can be busy once. */
const triesMax = 3
/** Findings of a project that a step makes events of, and different causes in an hour. Senders decide how many there are. */
const findingsOfStepMax = 1000
const causesOfHourMax = 500
const hourMs = 3_600_000

/**
 * `skipped`: traces that were not examined. `skippedFindings`: findings above a limit. `skippedBytes`: parts of the
 * journal whose traces were not even counted.
 */
type Totals = { traces: number; skipped: number; found: number; skippedFindings: number; skippedBytes: number }
const totalNames = ['traces', 'skipped', 'found', 'skippedFindings', 'skippedBytes'] as const
const noTotals = (): Totals => ({ traces: 0, skipped: 0, found: 0, skippedFindings: 0, skippedBytes: 0 })

/** The detectors' part of the work in the background. */
export type Detecting = {
  /**
   * Examines the traces that came since the last run and are complete, and appends what it finds to the journal. Safe to
   * repeat: a finding has the same event id each time.
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

type Found = { records: Map<number, Map<string, DetectionRecord>>; skipped: number }

/** What the detectors find in the spans of some traces, by project and event id. Lets others run after each trace. */
async function recordsOf(
  rows: readonly DetectorRow[],
  settingsOf: (projectId: number) => ProjectDetectors,
): Promise<Found> {
  const found: Found = { records: new Map(), skipped: 0 }
  const onSkipped = (findings: number) => {
    found.skipped += findings
  }
  for (const ofTrace of Map.groupBy(rows, ({ projectId, traceId }) => `${projectId} ${traceId}`).values()) {
    for (const segment of traceSegmentsOf(ofTrace))
      for (const { detector, finding } of detect(segment, settingsOf(segment.projectId), onSkipped)) {
        const record = recordOf(segment, detector, finding)
        const own = found.records.get(segment.projectId) ?? new Map<string, DetectionRecord>()
        if (!own.has(record.eventId)) own.set(record.eventId, record)
        found.records.set(segment.projectId, own)
      }
    await new Promise<void>((done) => setImmediate(done))
  }
  return found
}

/** Limits what a project may find: in a step, and different causes in an hour. */
function createFindingLimit(clock: Clock) {
  const ofStep = new Map<number, number>()
  const causes = new Map<number, Set<string>>()
  let hour = 0
  return {
    beginStep: () => {
      ofStep.clear()
      const now = Math.floor(clock.now() / hourMs)
      if (now !== hour) causes.clear()
      hour = now
    },
    isWithin: (projectId: number, { detection }: DetectionRecord): boolean => {
      const count = ofStep.get(projectId) ?? 0
      const known = causes.get(projectId) ?? new Set<string>()
      const hash = detectionHash(detection)
      if (count >= findingsOfStepMax || (!known.has(hash) && known.size >= causesOfHourMax)) return false
      ofStep.set(projectId, count + 1)
      causes.set(projectId, known.add(hash))
      return true
    },
  }
}

/** Groups traces so that each group is read by one query. The counts leave out spans that no detector looks for. */
function chunksOf(traces: readonly CandidateTrace[]): CandidateTrace[][] {
  const chunks: CandidateTrace[][] = []
  let spans = 0
  for (const trace of traces) {
    const own = Math.min(trace.spans, spansOfTraceMax)
    const last = chunks.at(-1)
    if (last && last.length < tracesAtOnce && spans + own <= spansAtOnce) last.push(trace)
    else {
      chunks.push([trace])
      spans = 0
    }
    spans += own
  }
  return chunks
}

/** Whether the store does not answer at all: then the step waits. Another failure is one of the question. */
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

type SettingsOf = (projectId: number) => ProjectDetectors

/** Creates the function that examines one step. */
function createStep({ clock, meta, events, append }: DetectDeps) {
  const limit = createFindingLimit(clock)

  /** The spans of some traces; undefined if there are too many for one answer, or the engine cannot read them. */
  async function rowsOf(traces: readonly CandidateTrace[], receivedMs: number): Promise<DetectorRow[] | undefined> {
    try {
      const rows = await events.spansOfTraces(traces, receivedMs, { each: spansOfTraceMax, max: spansAtOnce })
      return rows.length < spansAtOnce ? rows : undefined
    } catch (error) {
      if (isOutage(error)) throw error
      return undefined
    }
  }

  /** Examines some traces together, else each of them. A trace that cannot be read is skipped. */
  async function examine(
    traces: readonly CandidateTrace[],
    receivedMs: number,
    settingsOf: SettingsOf,
    totals: Totals,
  ): Promise<void> {
    const rows = await rowsOf(traces, receivedMs)
    if (!rows && traces.length === 1) totals.skipped++
    if (!rows && traces.length > 1) for (const trace of traces) await examine([trace], receivedMs, settingsOf, totals)
    if (!rows) return
    totals.traces += traces.length
    const { records, skipped } = await recordsOf(rows, settingsOf)
    totals.skippedFindings += skipped
    for (const [projectId, own] of records) {
      const kept = [...own.values()].filter((record) => limit.isWithin(projectId, record))
      totals.skippedFindings += own.size - kept.length
      totals.found += await appendNew({ meta, events, append }, projectId, kept)
    }
  }

  return async (
    cursor: Cursor,
    to: number,
    settings: ReadonlyMap<number, ProjectDetectors>,
    totals: Totals,
  ): Promise<void> => {
    limit.beginStep()
    const { traces, total, receivedMs } = await events.detectorCandidates({
      sinceJpos: cursor.from,
      fromJpos: cursor.to,
      toJpos: to,
      untilJpos: to + stepBytes,
      limits: limitsOf([defaultDetectors, ...settings.values()]),
      max: tracesMax,
      projectMax: tracesOfProjectMax,
    })
    totals.skipped += total - traces.length
    const settingsOf = (projectId: number) => settings.get(projectId) ?? defaultDetectors
    for (const chunk of chunksOf(traces)) await examine(chunk, receivedMs, settingsOf, totals)
  }
}

/** The cursor of a run: at most `behindMaxBytes` behind `end`. */
function catchUp(cursor: Cursor, end: number): Cursor {
  const first = end - behindMaxBytes
  return cursor.to >= first ? cursor : { from: first, to: first }
}

/** Creates the detection over stored spans. */
export function createDetecting(deps: DetectDeps): Detecting {
  const { clock, meta } = deps
  const completeTo = createHorizon(clock, meta.batches.cursor)
  const step = createStep(deps)
  let failed = { at: -1, times: 0 }

  /** Whether the engine refused a step so often that it is left out. */
  const isGivenUp = (at: number, error: unknown): boolean => {
    if (!(error instanceof MishapError) || error.code !== 'QUERY_TIMEOUT') return false
    failed = { at, times: failed.at === at ? failed.times + 1 : 1 }
    return failed.times >= triesMax
  }

  return {
    begin: async () => {
      if (readCursor(await meta.values.getValue(cursorName))) return
      const jpos = await meta.batches.cursor()
      await meta.values.setValue(cursorName, JSON.stringify({ from: jpos, to: jpos }))
    },

    run: async () => {
      const end = await completeTo()
      const stored = readCursor(await meta.values.getValue(cursorName))
      // Refine has not started yet.
      if (!stored) return {}
      let cursor = catchUp(stored, end)
      const totals: Totals = { ...noTotals(), skippedBytes: cursor.to - stored.to }
      if (cursor.to >= end) return totals
      const settings = new Map(
        (await meta.projects.listDetectorSettings()).map(({ projectId, detectors }) => [projectId, detectors]),
      )
      for (let at = 0; at < stepsMax && cursor.to < end; at++) {
        const to: number = Math.min(end, cursor.to + stepBytes)
        const done = noTotals()
        try {
          await step(cursor, to, settings, done)
        } catch (error) {
          if (!isGivenUp(cursor.to, error)) throw error
          done.skippedBytes += to - cursor.to
        }
        for (const name of totalNames) totals[name] += done[name]
        cursor = { from: cursor.to, to }
        await meta.values.setValue(cursorName, JSON.stringify(cursor))
      }
      return totals
    },
  }
}
