import type { Json } from '../../wire/json.ts'
import type { DetectorSegment, DetectorSpan } from './detector-segment.ts'

/** The attributes that detectors read, and the one measurement. Others are not read from the store. */
export const detectorAttributes = [
  'db.query.text',
  'url.full',
  'resource.render_blocking_status',
  'http.response.size',
  'http.response_transfer_size',
  'http.response.body.decoded_size',
  'http.decoded_response_content_length',
] as const
export const detectorMeasurement = 'fcp'

/** A stored span, with what detectors need of it. */
export type DetectorRow = {
  projectId: number
  traceId: string
  spanId: string
  parentId: string
  segmentId: string
  isSegment: boolean
  transaction: string
  route: string
  op: string
  kind: string
  name: string
  description: string
  category: string
  statement: string
  startUs: number
  durationUs: number
  failed: boolean
  httpStatus: number
  environment: string
  release: string
  platform: string
  cut: string
  attributes: Readonly<Record<string, Json>>
  measurements: Readonly<Record<string, number>>
}

/** A segment of a trace, with what its issue says about it. */
export type TraceSegment = DetectorSegment &
  Pick<DetectorRow, 'projectId' | 'traceId' | 'environment' | 'release' | 'platform'>

const textOf = (value: Json | undefined): string => (typeof value === 'string' ? value : '')
const bytesOf = (value: Json | undefined): number => (typeof value === 'number' && value >= 0 ? value : -1)

function spanOf(row: DetectorRow): DetectorSpan {
  const { attributes, description, name } = row
  const sent = textOf(attributes[row.category === 'db' ? 'db.query.text' : 'url.full'])
  return {
    spanId: row.spanId,
    parentId: row.parentId,
    op: row.op,
    category: row.category,
    statement: row.statement,
    text: sent || description || name,
    startUs: row.startUs,
    durationUs: row.durationUs,
    failed: row.failed,
    httpStatus: row.httpStatus,
    blocking: textOf(attributes['resource.render_blocking_status']),
    bytes: bytesOf(attributes['http.response.size'] ?? attributes['http.response_transfer_size']),
    decodedBytes: bytesOf(
      attributes['http.response.body.decoded_size'] ?? attributes['http.decoded_response_content_length'],
    ),
  }
}

/**
 * Finds the segment of a span without one: the nearest of its ancestors. '' if none of them is stored. Remembers what it
 * found on the way, so that a chain of thousands costs one step for each span.
 */
function segmentFinder(byId: ReadonlyMap<string, DetectorRow>): (row: DetectorRow) => string {
  const known = new Map<string, string>()
  const ownOf = (row: DetectorRow) => known.get(row.spanId) ?? (row.isSegment ? row.spanId : row.segmentId || undefined)
  return (row) => {
    const path = new Set<string>()
    let at: DetectorRow | undefined = row
    while (at && ownOf(at) === undefined && !path.has(at.spanId)) {
      path.add(at.spanId)
      at = byId.get(at.parentId)
    }
    const found = (at && ownOf(at)) ?? ''
    for (const id of path) known.set(id, found)
    return found
  }
}

/**
 * Puts the spans of traces together to segments. A span that came twice counts once. Segments whose first span is not
 * stored are left out, and so are page loads that were cut off: their times say nothing.
 */
export function traceSegmentsOf(rows: readonly DetectorRow[]): TraceSegment[] {
  const found: TraceSegment[] = []
  for (const group of Map.groupBy(rows, ({ projectId, traceId }) => `${projectId} ${traceId}`).values()) {
    const byId = new Map(group.toReversed().map((row) => [row.spanId, row]))
    const unique = [...byId.values()]
    const bySegment = Map.groupBy(
      unique.filter(({ isSegment }) => !isSegment),
      segmentFinder(byId),
    )
    for (const row of unique) {
      if (!row.isSegment || row.cut !== '') continue
      found.push({
        projectId: row.projectId,
        traceId: row.traceId,
        segmentId: row.spanId,
        op: row.op,
        kind: row.kind,
        transaction: row.transaction,
        route: row.route,
        environment: row.environment,
        release: row.release,
        platform: row.platform,
        startUs: row.startUs,
        durationUs: row.durationUs,
        paintMs: row.measurements[detectorMeasurement] ?? 0,
        spans: (bySegment.get(row.spanId) ?? []).map(spanOf),
      })
    }
  }
  return found
}
