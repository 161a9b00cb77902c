import { type Loose, own, scalar } from '../../pipeline/value.ts'
import { bodyKind } from '../kind.ts'
import { countOfBody, type LineBody, type LineUnit, refineLines } from '../log/bodies.ts'
import { filterDraft } from '../log/items.ts'
import { logColumnNames, type SentLine, templateOf } from '../log/line.ts'
import { severityOf, unknownSeverity } from '../log/severity.ts'
import { conventional } from '../span/conventions.ts'
import { weightOf } from '../span/describe.ts'
import { attributeBytesMax, type ByteBudget, boundedAttributes, lengths, type Repairs, word } from '../span/parts.ts'
import { readLogsJson } from './log-json.ts'
import { readLogsProtobuf } from './log-protobuf.ts'
import { namedOf, type OtlpLog, type OtlpResource, type OtlpScope, type Placed } from './message.ts'
import { platformOf } from './operation.ts'
import { bodyOf } from './read-body.ts'

const itemType = 'otlp_logs'

/** Each line repeats the attributes of its resource. This limits the sum of a body's attributes relative to its bytes. */
const growthMax = 4

type PlacedLog = { resource: OtlpResource; scope: OtlpScope; item: OtlpLog }

const firstOf = (attributes: Loose, ...names: string[]): unknown => {
  for (const name of names) {
    const value = own(attributes, name)
    if (value !== undefined && value !== '') return value
  }
  return undefined
}

/** Attributes that OpenTelemetry's conventions give to data of a record that is no attribute in OTLP. */
function namedAttributes({ scope, item }: PlacedLog): Loose {
  return {
    ...(scope.name ? { 'otel.scope.name': scope.name } : {}),
    ...(scope.version ? { 'otel.scope.version': scope.version } : {}),
    ...(item.eventName ? { 'event.name': item.eventName } : {}),
    ...(item.droppedAttributes > 0 ? { 'otel.dropped_attributes_count': item.droppedAttributes } : {}),
  }
}

/** Attributes of a resource that become columns of its lines. They count even where its other attributes are too many. */
const columnNames = [
  'sentry.message.template',
  'sentry.sample_rate',
  'sentry.release',
  'sentry.environment',
  'sentry.origin',
  'service.version',
  'deployment.environment.name',
  'deployment.environment',
]

/** What all lines of a resource share. */
type SharedAttributes = { attributes: Loose; platform: string; repaired: number }

/**
 * Bounds the attributes of a resource once, as each of its lines keeps at most so many: 1,000 of them took 6 s with 2,000
 * lines.
 */
function sharedOf(resource: Loose): SharedAttributes {
  const repairs: Repairs = { count: 0 }
  const bounded = boundedAttributes(resource, { bytes: Number.POSITIVE_INFINITY }, repairs, logColumnNames)
  const attributes = { ...bounded, ...namedOf(resource, columnNames) }
  return { attributes, platform: platformOf(resource), repaired: repairs.count }
}

/** One record as a line. */
function lineOf(placed: PlacedLog, shared: SharedAttributes, budget: ByteBudget): SentLine {
  const { item } = placed
  const repairs: Repairs = { count: shared.repaired }
  const all: Loose = { ...shared.attributes, ...namedAttributes(placed), ...conventional(item.attributes) }
  const severity = severityOf(item.severityNumber, item.severityText, 'number')
  // A record without a severity is allowed. One that nobody knows is a fault.
  if (!severity && (item.severityNumber !== 0 || item.severityText !== '')) repairs.count++
  return {
    timeUs: item.timeUs ?? item.observedUs,
    traceId: item.traceId ?? '',
    spanId: item.spanId ?? '',
    severity: severity ?? unknownSeverity,
    // Records of events have a name and attributes, and often no body.
    body: item.body ?? item.eventName,
    template: templateOf(own(all, 'sentry.message.template')),
    weight: weightOf(own(all, 'sentry.sample_rate')),
    release: firstOf(all, 'sentry.release', 'service.version'),
    environment: firstOf(all, 'sentry.environment', 'deployment.environment.name', 'deployment.environment'),
    platform: shared.platform,
    origin: word(own(all, 'sentry.origin') ?? 'otlp', lengths.origin, repairs),
    attributes: boundedAttributes(all, budget, repairs, logColumnNames),
    repaired: repairs.count,
  }
}

/** The readable records by resource: those of one process. */
function unitsOf(placed: readonly Placed<OtlpLog>[], bytes: number): LineUnit[] {
  const sound = placed.flatMap(({ resource, scope, item }): PlacedLog[] => (item ? [{ resource, scope, item }] : []))
  const budget: ByteBudget = { bytes: attributeBytesMax + bytes * growthMax }
  return [...Map.groupBy(sound, ({ resource }) => resource)].map(([resource, records]): LineUnit => {
    const current = conventional(resource.attributes)
    const shared = sharedOf(current)
    return {
      lines: records.map((record) => lineOf(record, shared, budget)),
      judged: 'together',
      draftOf: (context) => {
        const all: Loose = { ...current, ...records[0]?.item.attributes }
        const release = scalar(firstOf(all, 'sentry.release', 'service.version'))
        return filterDraft(all, release, undefined, context)
      },
    }
  })
}

/** The body of an OTLP logs request. Each of its records has its own outcome. */
export const otlpLogsBody = bodyKind<LineBody>({
  record: 'otlp_logs',
  read: ({ head }, bytes) => {
    const { body, sent, fault } = bodyOf(head.contentType, bytes, readLogsProtobuf, readLogsJson)
    const units = unitsOf(body.items, bytes.length)
    const readable = units.reduce((sum, { lines }) => sum + lines.length, 0)
    const invalid: LineBody['invalid'] = fault
      ? [[fault, 1]]
      : [
          ['bad_item', body.items.length - readable],
          ['too_many_items', body.excess],
        ]
    return { itemType, units, body: bytes, sent, invalid }
  },
  countsAs: countOfBody,
  refine: refineLines,
})
