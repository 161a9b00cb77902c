import { hash } from 'node:crypto'
import { shapeOf, splitText, type TextParts, valueSign } from '../../../domain/log-shape.ts'
import type { LogRow } from '../../../store/events/log-store.ts'
import type { Context, Tools } from '../../pipeline/context.ts'
import { bounded, jsonOf, type Loose, own, receivedDepthMax, type Sent, scalar } from '../../pipeline/value.ts'
import type { Rules } from '../../scrub/rules.ts'
import { isPlain, rulesOf, scrubTree } from '../../scrub/scrub.ts'
import { environmentOf, releaseOf } from '../error/normalize.ts'
import { userHash } from '../error/row.ts'
import { userOf } from '../span/items.ts'
import type { Severity } from './severity.ts'

/** Characters of a body that a row keeps. The rest is cut, and the row says so. */
export const logBodyMax = 16_384
/** The attribute of a cut line with the characters that it had. */
export const bodyLengthName = 'mishap.body_length'
const nameMax = 200

/** A line of any source before scrubbing. Attributes have their current names and plain values, within their limits. */
export type SentLine = {
  /** Microseconds since 1970; undefined if the source gives no time. */
  timeUs: number | undefined
  traceId: string
  spanId: string
  severity: Severity
  /** A text, or a value that becomes JSON. */
  body: unknown
  /** The text with placeholders; '' if there is none. */
  template: string
  attributes: Loose
  /** The number of lines that it stands for. */
  weight: number
  /** Further candidates for the columns, for sources that do not send them as attributes. */
  service?: string
  host?: string
  logger?: string
  release: unknown
  environment: unknown
  platform: string
  origin: string
  repaired: number
}

/** A line of a log drain, with its attributes as sent: the filters judge by those that a row has no room for, too. */
export type DrainLine = { line: SentLine; sent: Loose }

/** Attributes that have a column of their own, which no other attribute can fill. */
export const logColumnNames: ReadonlySet<string> = new Set([
  'sentry.message.template',
  'sentry.origin',
  'sentry.release',
  'sentry.environment',
  'sentry.sample_rate',
  'sentry.sdk.integrations',
  'sentry.trace.parent_span_id',
])

const templateMax = 1024
/** The template of a line, cut to 1,024 characters; '' if the value is no text. */
export const templateOf = (value: unknown): string =>
  typeof value === 'string' ? (value.length > templateMax ? value.slice(0, templateMax).toWellFormed() : value) : ''

const futureMaxUs = 60e6
const pastMaxUs = 30 * 86_400e6
const parameterPrefix = 'sentry.message.parameter.'
/** Shorter parameters are parts of other words. */
const replacedMin = 3

/** The first of these attributes that is a text, cut to the length of a name. */
function nameOf(attributes: Loose, ...names: readonly string[]): string {
  for (const name of names) {
    const value = scalar(own(attributes, name))?.trim()
    if (value) return value.length > nameMax ? value.slice(0, nameMax).toWellFormed() : value
  }
  return ''
}

/** The hash of a line's shape: that of its template, else of its text without values; '' for an empty text. */
function patternOf(template: string, body: string, parts: TextParts | undefined, { shapes }: Tools): string {
  const own = template === '' ? parts?.shape : undefined
  const shape = own ?? (template !== '' ? template : shapeOf(body))
  if (shape === '') return ''
  // The shape of parts has signs for values. No other shape with such a sign may be taken for it.
  if (own === undefined && shape.includes(valueSign)) return hashOf(shape)
  let found = shapes.get(shape)
  if (found === undefined) {
    found = hashOf(own === undefined ? shape : own.replaceAll(valueSign, '*'))
    shapes.set(shape, found)
  }
  return found
}
const hashOf = (shape: string): string => hash('md5', shape, 'hex').slice(0, 16)

/** The text of a body. Levels over 100 of a value become a text. */
function textOf(body: unknown): string {
  if (typeof body === 'string') return body
  if (body === undefined || body === null) return ''
  const unread = { path: [], meta: {}, errors: [] }
  const bounds = { depth: receivedDepthMax, bytes: Number.POSITIVE_INFINITY }
  return jsonOf(body) ?? JSON.stringify(bounded(unread, '', body, bounds))
}

/** A copy of the parameters of a template, by attribute name. */
function parametersOf(attributes: Loose): [name: string, value: unknown][] {
  const found: [string, unknown][] = []
  for (const name in attributes) if (name.startsWith(parameterPrefix)) found.push([name, attributes[name]])
  return found
}

/**
 * Replaces secrets of a text, the longest first: it can contain a shorter secret. What took the place of a secret is not
 * searched again: the parameters `Fil` and `ter` in turns made a text of 4 kB grow fivefold with every four of them.
 */
function withoutSecrets(text: string, secrets: readonly (readonly [before: string, after: string])[]): string {
  // In turns: what is searched, and what took the place of a secret behind it.
  let parts: string[] = [text]
  for (const [before, after] of secrets.toSorted(([a], [b]) => b.length - a.length)) {
    if (!text.includes(before)) continue
    parts = parts.flatMap((part, at) =>
      at % 2 === 1 ? part : part.split(before).flatMap((piece, nth) => (nth === 0 ? piece : [after, piece])),
    )
  }
  return parts.join('')
}

/** Scrubs a line in place. A parameter that is a secret by its name is also removed from the text around it. */
function scrubLine(line: SentLine, rules: Rules): void {
  const parameters = parametersOf(line.attributes)
  const { body, template, attributes } = line
  const tree = { line: { body, template, attributes } }
  scrubTree(tree, rules, undefined)
  line.body = tree.line.body
  line.template = tree.line.template
  if (typeof line.body !== 'string') return
  const secrets = parameters.flatMap(([name, value]) => {
    const scrubbed = line.attributes[name]
    const before = scalar(value)
    if (scrubbed === value || before === undefined || before.length < replacedMin) return []
    return [[before, scalar(scrubbed) ?? ''] as const]
  })
  if (secrets.length > 0) line.body = withoutSecrets(line.body, secrets)
}

/** Makes a function for hashes of users. It remembers the last user: the lines of an item mostly have the same user. */
function createUserHashes(): (attributes: Loose) => string {
  const last = { key: '', hash: '' }
  return (attributes) => {
    const user = userOf(attributes, undefined)
    if (!user) return ''
    const key = JSON.stringify(user)
    if (last.key !== key) {
      last.key = key
      last.hash = userHash(user)
    }
    return last.hash
  }
}

/** What the rows of one item share. */
type Shared = { context: Context; jpos: number; hashOfUser: (attributes: Loose) => string }

function rowOf(line: SentLine, { context, jpos, hashOfUser }: Shared, place: number): LogRow {
  const { attributes } = line
  const { receivedMs, projectId } = context.head
  const receivedUs = receivedMs * 1000
  let { repaired } = line
  const sentUs = line.timeUs
  const isLikely = sentUs !== undefined && sentUs <= receivedUs + futureMaxUs && sentUs >= receivedUs - pastMaxUs
  if (!isLikely) repaired++
  const whole = textOf(line.body)
  const truncated = whole.length > logBodyMax
  const body = truncated ? whole.slice(0, logBodyMax).toWellFormed() : whole
  if (truncated) attributes[bodyLengthName] = whole.length
  const { template } = line
  const parts = splitText(body)
  return {
    projectId,
    timeUs: isLikely ? sentUs : receivedUs,
    traceId: line.traceId,
    spanId: line.spanId,
    severity: line.severity.severity,
    level: line.severity.level,
    body,
    parts,
    template,
    pattern: patternOf(template, body, parts, context.tools),
    service: nameOf(attributes, 'service.name') || (line.service ?? ''),
    host: nameOf(attributes, 'server.address', 'host.name') || (line.host ?? ''),
    logger: nameOf(attributes, 'logger.name', 'code.namespace', 'otel.scope.name') || (line.logger ?? ''),
    environment: environmentOf(line.environment) ?? '',
    release: releaseOf(line.release) ?? '',
    platform: line.platform,
    origin: line.origin,
    userHash: hashOfUser(attributes),
    attributes: attributes as LogRow['attributes'],
    repaired,
    truncated,
    weight: line.weight,
    receivedMs,
    jpos,
    place,
  }
}

/**
 * The rows of lines, scrubbed by the project's rules. `sent`: their payload, if nothing was repaired in it. `placeOf`: the
 * place of the row of a line, by its number in `lines`.
 */
export function logRows(
  lines: readonly SentLine[],
  sent: Sent | undefined,
  context: Context,
  { jpos, placeOf }: { jpos: number; placeOf: (at: number) => number },
): LogRow[] {
  const rules = rulesOf(context)
  if (!isPlain(sent, rules)) for (const line of lines) scrubLine(line, rules)
  const shared: Shared = { context, jpos, hashOfUser: createUserHashes() }
  return lines.map((line, at) => rowOf(line, shared, placeOf(at)))
}
