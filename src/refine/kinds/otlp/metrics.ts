import { hash } from 'node:crypto'
import type { OutcomeReason } from '../../../base/outcome.ts'
import { type MetricType, metricBytesMax } from '../../../domain/metrics.ts'
import type { Context } from '../../pipeline/context.ts'
import { ended } from '../../pipeline/item-outcome.ts'
import { type Loose, own, type Sent, scalar } from '../../pipeline/value.ts'
import { environmentOf, releaseOf } from '../error/normalize.ts'
import { bodyKind, derivedId, isStoredAt, type RecordWork } from '../kind.ts'
import { addMetrics, droppedBy } from '../metric/metric.ts'
import { type BareMetric, nameLengthMax, timeOf, unitOf } from '../metric/point.ts'
import { metricRows } from '../metric/rows.ts'
import { conventional } from '../span/conventions.ts'
import { attributeBytesMax, type ByteBudget, boundedAttributes, line, type Repairs } from '../span/parts.ts'
import { type Bucket, bucketsOf, exemplarIn, sumsOf } from './histogram.ts'
import { namedOf, type OtlpResource, type OtlpScope, type Placed } from './message.ts'
import { readMetricsJson } from './metric-json.ts'
import type { OtlpMetric, OtlpPoint } from './metric-message.ts'
import { readMetricsProtobuf } from './metric-protobuf.ts'
import { bodyOf } from './read-body.ts'

const itemType = 'otlp_metrics'
const cumulative = 2
/** The lowest bit of a point's flags: it has no value, because its stream ended. */
const noValue = 1

/** A readable point with its surroundings. */
type PlacedPoint = { resource: OtlpResource; scope: OtlpScope; metric: OtlpMetric; point: OtlpPoint }

/** Attributes of a resource that tell its processes apart. All others are equal for all of a service's points. */
const resourceNames = [
  'service.namespace',
  'host.name',
  'k8s.cluster.name',
  'k8s.namespace.name',
  'k8s.pod.name',
  'cloud.region',
]
const columns: ReadonlySet<string> = new Set([
  'service.name',
  'service.version',
  'sentry.release',
  'sentry.environment',
  'deployment.environment',
  'deployment.environment.name',
])

const firstOf = (attributes: Loose, ...names: string[]): unknown => {
  for (const name of names) {
    const value = own(attributes, name)
    if (value !== undefined && value !== '') return value
  }
  return undefined
}

/** What all rows of a point share. `stream`: names it among all points of its resource and scope. */
type Shared = { row: BareMetric; stream: string; startMs: number; timeMs: number; receivedTotal: boolean }

/** What all points of a resource share. `identity`: a hash of all its attributes. */
type OfResource = { columns: Loose; attributes: Loose; identity: string }
/** The name and the unit of a metric. */
type Named = { name: string; unit: string; repaired: number }

/**
 * What is shared by points of a body: the bytes left for attributes, and what is read once for each resource and metric.
 * With resource attributes of 5 MB, 200 points took 4 s.
 */
type Reading = { budget: ByteBudget; resources: Map<OtlpResource, OfResource>; metrics: Map<OtlpMetric, Named> }

/** The value of a key, which is made once. */
function once<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  const found = map.get(key)
  if (found !== undefined) return found
  const made = make()
  map.set(key, made)
  return made
}

function ofResource({ attributes }: OtlpResource): OfResource {
  const current = conventional(attributes)
  return {
    columns: namedOf(current, [...columns]),
    attributes: namedOf(current, resourceNames),
    identity: hash('md5', JSON.stringify(attributes), 'hex'),
  }
}

function namedAs(metric: OtlpMetric): Named {
  const repairs: Repairs = { count: 0 }
  const name = line(metric.name, nameLengthMax, repairs)
  return { name, unit: unitOf(metric.unit, repairs), repaired: repairs.count }
}

const lengthOf = (attributes: Loose): number => {
  let sum = 0
  for (const key in attributes) sum += key.length + String(attributes[key]).length + 6
  return sum
}

/** The name of a stream among all: what its points have in common. */
function streamOf({ scope, metric, point }: PlacedPoint, projectId: number, name: string, resource: string): string {
  const attributes = Object.keys(point.attributes)
    .sort()
    .map((key) => [key, point.attributes[key]])
  const identity = [projectId, name, metric.kind, resource, scope.name.slice(0, 1024), attributes]
  return hash('md5', JSON.stringify(identity), 'hex').slice(0, 16)
}

/**
 * When a stream began, in ms; 0 if that is unknown. A point whose start is its time says that it is unknown: see "resets
 * and gaps" in the data model of OpenTelemetry metrics. Microseconds decide, because a program that exports soon after
 * its first measurement has both times in one millisecond. Its whole first total was left out.
 */
const startOf = ({ startUs = 0, timeUs }: OtlpPoint): number =>
  timeUs !== undefined && startUs >= timeUs ? 0 : Math.floor(startUs / 1000)

/** The time of a point in ms, with its microseconds unless the time was repaired. */
const fineTimeOf = ({ timeUs = 0 }: OtlpPoint, timeMs: number): number =>
  Math.floor(timeUs / 1000) === timeMs ? timeUs / 1000 : timeMs

function sharedOf(placed: PlacedPoint, work: RecordWork, type: MetricType, reading: Reading): Shared {
  const { resource, metric, point } = placed
  const shared = once(reading.resources, resource, () => ofResource(resource))
  const { name, unit, repaired } = once(reading.metrics, metric, () => namedAs(metric))
  const repairs: Repairs = { count: repaired }
  const ofPoint = conventional(point.attributes)
  const all: Loose = { ...shared.columns, ...ofPoint }
  const { projectId, receivedMs } = work.head
  const attributes: Loose = boundedAttributes({ ...shared.attributes, ...ofPoint }, reading.budget, repairs, columns)
  const timeMs = timeOf(point.timeUs === undefined ? undefined : Math.floor(point.timeUs / 1000), receivedMs, repairs)
  const isCumulative = metric.temporality === cumulative
  return {
    stream: isCumulative ? streamOf(placed, projectId, name, shared.identity) : '',
    startMs: startOf(point),
    timeMs: fineTimeOf(point, timeMs),
    receivedTotal: isCumulative,
    row: {
      projectId,
      timeMs,
      name,
      type,
      unit,
      value: 0,
      count: 1,
      min: 0,
      max: 0,
      sum: 0,
      isBucket: false,
      traceId: '',
      spanId: '',
      service: scalar(own(all, 'service.name'))?.slice(0, nameLengthMax) ?? '',
      environment:
        environmentOf(firstOf(all, 'sentry.environment', 'deployment.environment.name', 'deployment.environment')) ??
        '',
      release: releaseOf(firstOf(all, 'sentry.release', 'service.version')) ?? '',
      attributes,
      repaired: repairs.count,
      stream: '',
      total: 0,
      receivedMs,
      jpos: work.record.jpos,
      entries: 1,
    },
  }
}

const traced = (row: BareMetric, exemplars: OtlpPoint['exemplars'], low: number, high: number): BareMetric => {
  const found = exemplarIn(exemplars, low, high)
  return found ? { ...row, traceId: found.traceId ?? '', spanId: found.spanId ?? '' } : row
}

/** The name of a part of a stream's points. */
const partOf = (stream: string, part: string): string => hash('md5', `${stream} ${part}`, 'hex').slice(0, 16)

/** What a total adds to those before it. */
const addedOf = (work: RecordWork, { stream, startMs, timeMs }: Shared, total: number, part = '') =>
  work.tools.metrics.streams.advance({
    stream: part === '' ? stream : partOf(stream, part),
    timeMs,
    startMs,
    total,
  })

/** A gauge is its value, a delta its sum. A total that only grows becomes what was added. */
function numberRows(work: RecordWork, shared: Shared, { point }: PlacedPoint, isTotal: boolean): BareMetric[] {
  const value = point.value ?? 0
  const row = traced(shared.row, point.exemplars, Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY)
  if (!isTotal) return [{ ...row, value }]
  return [{ ...row, value: addedOf(work, shared, value).added, stream: shared.stream, total: value }]
}

/** A bucket and its place among all of its point, 1 for the first. */
type PlacedBucket = Bucket & { place: number }

/**
 * Spreads `added` measurements over buckets, each in proportion to its count. `total`: the sum of all counts. The running sum
 * is rounded, because parts that are rounded by themselves do not add up.
 */
function spreadOver(buckets: readonly PlacedBucket[], total: number, added: number): PlacedBucket[] {
  let [seen, given] = [0, 0]
  return buckets.map((bucket) => {
    seen += bucket.count
    const count = Math.round((seen / total) * added) - given
    given += count
    return { ...bucket, count }
  })
}

/** What cumulative buckets added. If they do not add up, the new measurements are spread like all of them. */
function addedBuckets(
  work: RecordWork,
  shared: Shared,
  buckets: readonly PlacedBucket[],
  { point }: PlacedPoint,
): { buckets: PlacedBucket[]; sum: number | undefined } {
  const total = buckets.reduce((sum, { count }) => sum + count, 0)
  const all = addedOf(work, shared, total)
  const ofSum = point.sum === undefined ? undefined : addedOf(work, shared, point.sum, 'sum')
  // After a restart the store knows the last count, and not the last sum. Nobody knows what this sum added.
  const isForgotten = all.isKnown && !ofSum?.isKnown
  const sum = isForgotten ? undefined : ofSum?.added
  const added = buckets.map((bucket) => {
    const own = addedOf(work, shared, bucket.count, `${bucket.low} ${bucket.high}`)
    // A bucket that was empty until now has no total yet.
    return { ...bucket, count: own.isKnown || !all.isKnown ? own.added : bucket.count }
  })
  const found = added.reduce((count, bucket) => count + bucket.count, 0)
  const grown = found === all.added ? added : spreadOver(buckets, total, all.added)
  return { buckets: grown.filter(({ count }) => count > 0), sum }
}

/** A row and its place in the record. */
type PlacedRow = { row: BareMetric; place: number }

/** The rows of a point, and how many places it takes. */
type PointRows = { rows: PlacedRow[]; size: number }

const consecutive = (rows: readonly BareMetric[], first: number): PointRows => ({
  rows: rows.map((row, at) => ({ row, place: first + at })),
  size: rows.length,
})

/**
 * Leaves out rows that the run before did not store, if it stored any of the point. A start forgets the last counts of
 * buckets, so a recovery finds other buckets that grew.
 */
function asStored(work: RecordWork, { rows, size }: PointRows, first: number): PointRows {
  if (!isStoredAt(work, 'metrics', first, size)) return { rows, size }
  return { rows: rows.filter(({ place }) => isStoredAt(work, 'metrics', place, 1)), size }
}

/**
 * A row for each bucket that has measurements. A total has a row of its own first, and so has an empty histogram. `first`:
 * the place of the first row.
 */
function histogramRows(work: RecordWork, shared: Shared, placed: PlacedPoint, first: number): PointRows {
  const { metric, point } = placed
  // The least and the greatest measurement of a total are of all time.
  const bounded = shared.receivedTotal ? { ...point, min: undefined, max: undefined } : point
  const found = bucketsOf(bounded, metric.kind === 'exponentialHistogram').map((bucket, at) => ({
    ...bucket,
    place: at + 1,
  }))
  const total = found.reduce((sum, { count }) => sum + count, 0)
  const { buckets, sum } = shared.receivedTotal
    ? addedBuckets(work, shared, found, placed)
    : { buckets: found, sum: point.sum }
  const sums = sumsOf(buckets, sum)
  const rows = buckets.map(({ low, high, value, count, place }, at): PlacedRow => {
    const row = { ...shared.row, value, count, min: low, max: high, sum: sums[at] ?? 0, isBucket: true }
    return { row: { ...traced(row, point.exemplars, low, high), entries: 0 }, place: first + place }
  })
  if (!shared.receivedTotal && rows.length > 0)
    return consecutive(
      rows.map(({ row }, at) => (at === 0 ? { ...row, entries: 1 } : row)),
      first,
    )
  const whole: BareMetric = { ...shared.row, count: 0, isBucket: true, stream: shared.stream, total }
  return asStored(work, { rows: [{ row: whole, place: first }, ...rows], size: 1 + found.length }, first)
}

/** A summary: its count and its sum as counters, and a gauge for each quantile. */
function summaryRows(work: RecordWork, shared: Shared, { point }: PlacedPoint): BareMetric[] {
  const { row } = shared
  const total = (part: 'count' | 'sum', sent: number, more: Partial<BareMetric>): BareMetric => {
    const stream = partOf(shared.stream, part)
    const { added } = addedOf(work, { ...shared, stream }, sent)
    return { ...row, ...more, name: `${row.name}.${part}`, type: 'counter', value: added, stream, total: sent }
  }
  return [
    total('count', point.count, { unit: '' }),
    total('sum', point.sum ?? 0, { entries: 0 }),
    ...point.quantiles.map(
      ({ quantile, value }): BareMetric => ({
        ...row,
        type: 'gauge',
        value,
        attributes: { ...row.attributes, quantile },
        entries: 0,
      }),
    ),
  ]
}

const isReadable = ({ metric, point }: PlacedPoint): boolean => {
  if (metric.kind === undefined || (point.flags & noValue) !== 0) return false
  const isNumber = metric.kind === 'gauge' || metric.kind === 'sum'
  return !isNumber || (point.value !== undefined && Number.isFinite(point.value))
}

function rowsOf(work: RecordWork, placed: PlacedPoint, reading: Reading, first: number): PointRows {
  const { kind, isMonotonic, temporality } = placed.metric
  if (kind === 'summary') {
    const ofTotals = { ...placed, metric: { ...placed.metric, temporality: cumulative } }
    return consecutive(summaryRows(work, sharedOf(ofTotals, work, 'gauge', reading), placed), first)
  }
  if (kind === 'gauge' || kind === 'sum') {
    // A total that can shrink is a state, such as the length of a queue.
    const isState = kind === 'gauge' || (temporality === cumulative && !isMonotonic)
    const isTotal = !isState && temporality === cumulative
    const shared = sharedOf(placed, work, isState ? 'gauge' : 'counter', reading)
    return consecutive(numberRows(work, shared, placed, isTotal), first)
  }
  return histogramRows(work, sharedOf(placed, work, 'distribution', reading), placed, first)
}

/** The points of a body, and those that cannot be read, by reason. */
type MetricBody = { points: PlacedPoint[]; sent: Sent | undefined; invalid: [OutcomeReason, number][] }

const countOf = ({ points, invalid }: MetricBody): number =>
  points.length + invalid.reduce((sum, [, quantity]) => sum + quantity, 0)

/**
 * Rows that the points of a body become. 2,000 histograms of 50 buckets fit. Without a limit a JSON body of 1.2 MB became
 * 300,000 rows, each with all attributes of its point.
 */
const bodyRowsMax = 100_000

/** The rows of a point at most: one for itself, and one for each bucket with measurements or quantile. */
function rowCountOf({ counts, positive, negative, quantiles, zeroCount }: OtlpPoint): number {
  const filled = (list: readonly number[]) => list.reduce((sum, count) => sum + (count > 0 ? 1 : 0), 0)
  const buckets = filled(counts) + filled(positive.counts) + filled(negative.counts)
  return 1 + buckets + quantiles.length + (zeroCount > 0 ? 1 : 0)
}

/** Splits off the points at the end that are too many rows. */
function withinRows(points: readonly PlacedPoint[]): { points: PlacedPoint[]; excess: number } {
  let rows = 0
  const kept = points.filter(({ point }) => {
    rows += rowCountOf(point)
    return rows <= bodyRowsMax
  })
  return { points: kept, excess: points.length - kept.length }
}

function readPoints(items: readonly Placed<OtlpMetric>[]) {
  const placed = items.flatMap(({ resource, scope, item: metric }) => {
    if (!metric) return [undefined]
    const isNamed = scalar(metric.name)?.trim() !== ''
    return metric.points.map((point) => (point && isNamed ? { resource, scope, metric, point } : undefined))
  })
  const readable = placed.filter((entry) => entry !== undefined).filter(isReadable)
  const small = readable.filter(({ point }) => lengthOf(point.attributes) <= metricBytesMax)
  const { points, excess } = withinRows(small)
  return {
    points,
    broken: placed.length - readable.length,
    large: readable.length - small.length,
    excess: items.reduce((sum, { item }) => sum + (item?.excess ?? 0), excess),
  }
}

/** The body of an OTLP metrics request. Each of its data points has its own outcome. */
export const otlpMetricsBody = bodyKind<MetricBody>({
  record: 'otlp_metrics',
  read: ({ head }, bytes) => {
    const { body, sent, fault } = bodyOf(head.contentType, bytes, readMetricsProtobuf, readMetricsJson)
    const { points, large, broken, excess } = readPoints(body.items)
    const invalid: MetricBody['invalid'] = [
      ['bad_item', broken],
      ['too_large', large],
      ['too_many_items', body.excess + excess],
    ]
    const found: MetricBody = { points, sent, invalid: fault ? [[fault, 1]] : invalid }
    return countOf(found) > 0 ? found : { ...found, invalid: [['bad_item', 1]] }
  },
  countsAs: countOf,
  refine: (work, read, bytes) => {
    const { points, sent, invalid } = read
    const { head, settings, tools, out } = work
    const share = (quantity: number) => Math.floor((bytes.length * quantity) / Math.max(1, countOf(read)))
    const end = (outcome: 'filtered' | 'invalid', reason: OutcomeReason, quantity: number) => {
      if (quantity === 0) return
      out.outcomes.push(ended(work, itemType, 'trace_metric', outcome, reason, share(quantity), quantity))
    }
    for (const [reason, quantity] of invalid) end('invalid', reason, quantity)
    const context: Context = { head, eventId: derivedId(work, 0), sentMs: undefined, settings, tools, maps: undefined }
    const reading: Reading = {
      budget: { bytes: attributeBytesMax + bytes.length * 4 },
      resources: new Map(),
      metrics: new Map(),
    }
    const kept: PlacedRow[] = []
    let [keptPoints, place] = [0, 0]
    for (const [, ofResource] of Map.groupBy(points, ({ resource }) => resource)) {
      // Places count rows before filters: a recovery must find them again.
      const first = place
      const found = ofResource.flatMap((placed) => {
        const { rows, size } = rowsOf(work, placed, reading, place)
        place += size
        return rows
      })
      const dropped = found[0] && droppedBy(work, context, { first, count: place - first }, found[0].row)
      if (dropped) end('filtered', dropped, ofResource.length)
      else {
        for (const entry of found) kept.push(entry)
        keptPoints += ofResource.length
      }
    }
    const rows = metricRows(
      kept.map(({ row }) => row),
      sent,
      context,
      (at) => kept[at]?.place ?? 0,
    )
    addMetrics(work, rows, { key: hash('md5', bytes, 'hex'), index: 0, itemType, bytes: share(keptPoints) })
  },
})
