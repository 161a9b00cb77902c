import type { TraceSegment } from './detector-rows.ts'
import type { Finding } from './detector-segment.ts'
import { type DetectorId, detectorTitles, issueTypeOf } from './detectors.ts'

/** A span of the evidence. `at`: microseconds after the segment's start. */
type EvidenceSpan = { id: string; op: string; statement: string; at: number; durationUs: number }

/** What a detector found in a trace, as it is stored with its event. Ids are hex, times are microseconds. */
export type Detection = {
  detector: DetectorId
  traceId: string
  segmentId: string
  /** The span around the evidence. */
  parentId: string
  /** Operation and parameterized page or endpoint of the segment. */
  op: string
  route: string
  /** Start of the segment, microseconds since 1970. */
  startUs: number
  segmentUs: number
  /** The repeated or slow statement, the requests (one for each line) or the asset. */
  cause: string
  count: number
  totalUs: number
  savedUs: number
  /** First contentful paint, ms; 0: none. */
  paintMs: number
  /** The first of the spans, at most `evidenceMax`. */
  spans: EvidenceSpan[]
}

/** What the journal's record of a detection holds besides it. */
export type DetectionRecord = {
  eventId: string
  environment: string
  release: string
  platform: string
  detection: Detection
}

/** Spans of the evidence that are stored. A loop of thousands looks like its first hundred. */
const evidenceMax = 100
const causeMax = 2000

/** The route of a segment as its issue shows it. */
const placeOf = ({ route, transaction, op }: Pick<TraceSegment, 'route' | 'transaction' | 'op'>): string =>
  route || transaction || op

/** The texts whose hash is the group of an issue: the same cause in the same place is one issue. */
export const groupTexts = ({ detector, cause, route }: Pick<Detection, 'detector' | 'cause' | 'route'>): string[] => [
  'performance',
  issueTypeOf(detector),
  cause,
  route,
]

/** Makes the stored form of a finding. */
export function detectionOf(segment: TraceSegment, detector: DetectorId, finding: Finding): Detection {
  const { cause, parentId, spans, totalUs, savedUs } = finding
  return {
    detector,
    traceId: segment.traceId,
    segmentId: segment.segmentId,
    parentId: parentId || segment.segmentId,
    op: segment.op,
    route: placeOf(segment),
    startUs: segment.startUs,
    segmentUs: segment.durationUs,
    cause: cause.slice(0, causeMax).toWellFormed(),
    count: spans.length,
    totalUs,
    savedUs,
    paintMs: detector === 'renderBlockingAssets' ? segment.paintMs : 0,
    spans: spans.slice(0, evidenceMax).map(({ spanId, op, statement, startUs, durationUs }) => ({
      id: spanId,
      op,
      statement: statement.slice(0, 200).toWellFormed(),
      at: startUs - segment.startUs,
      durationUs,
    })),
  }
}

/** A duration as people write it: `38 ms`, `1.2 s`. */
function inWords(us: number): string {
  const ms = us / 1000
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`
}

const titleMax = 256
const statementMax = 180

/** Title of the issue: `N+1 query: SELECT ... (38 times, 1.2 s)`. */
export function titleOf({ detector, cause, count, totalUs }: Detection): string {
  const lines = cause.split('\n')
  const first = lines[0] ?? ''
  const more = lines.length > 1 ? ` and ${lines.length - 1} more` : ''
  const shown = first.length > statementMax ? `${first.slice(0, statementMax - 3).toWellFormed()}...` : first
  const numbers = count > 1 ? `${count} times, ${inWords(totalUs)}` : inWords(totalUs)
  return `${detectorTitles[issueTypeOf(detector)]}: ${shown}${more} (${numbers})`.slice(0, titleMax).toWellFormed()
}
