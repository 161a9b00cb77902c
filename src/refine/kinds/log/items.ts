import { normalizeId, normalizeSpanId } from '../../../wire/ids.ts'
import type { Context } from '../../pipeline/context.ts'
import { type Draft, newDraft } from '../../pipeline/draft.ts'
import { type Loose, object, own, type Sent, scalar } from '../../pipeline/value.ts'
import { releaseOf } from '../error/normalize.ts'
import { drift } from '../error/time.ts'
import { readUserAgent } from '../error/user-agent.ts'
import { ownConventional } from '../span/conventions.ts'
import { weightOf } from '../span/describe.ts'
import { platformOf } from '../span/items.ts'
import {
  attributeBytesMax,
  type ByteBudget,
  boundedAttributes,
  lengths,
  momentUs,
  plainAttributes,
  type Repairs,
  word,
} from '../span/parts.ts'
import { createSimpleAttributes, type ReadAttributes } from '../span/simple-attributes.ts'
import { logColumnNames, type SentLine, templateOf } from './line.ts'
import { severityOf, unknownSeverity } from './severity.ts'

/** Lines of a container that are read. JavaScript SDKs send at most 100. */
export const logLinesMax = 10_000

/** A log container and the data of its envelope that applies to all its lines. */
export type LogItem = {
  lines: unknown[]
  /** From the envelope's `trace` header, for lines without their own values. */
  release: unknown
  environment: unknown
  /** Whether to use the sender's address and user agent. Browsers allow it. */
  infersAddress: boolean
  infersUserAgent: boolean
  sent: Sent | undefined
}

/** Reads a payload; undefined if it is no object, or its `items` are no list. An object without a list is one line. */
export function logItem(value: unknown, trace: unknown, sent: Sent | undefined): LogItem | undefined {
  const whole = object(value)
  if (!whole) return undefined
  const items = own(whole, 'items')
  if (items !== undefined && !Array.isArray(items)) return undefined
  const header = object(trace) ?? {}
  const settings = object(own(whole, 'ingest_settings')) ?? {}
  return {
    lines: items ?? [whole],
    release: own(header, 'release'),
    environment: own(header, 'environment'),
    infersAddress: own(settings, 'infer_ip') === 'auto',
    infersUserAgent: own(settings, 'infer_user_agent') === 'auto',
    sent,
  }
}

/** What the sender's own request says about all lines, as far as the SDK allows its use. */
function inferred({ infersAddress, infersUserAgent }: LogItem, { head, tools }: Context): Loose {
  const out: Loose = {}
  if (infersAddress && head.clientAddress) out['user.ip_address'] = head.clientAddress
  // Only browsers send their own user agent. Server SDKs send the name of their HTTP library.
  if (!infersUserAgent || !/^(?:Mozilla|Opera)\//.test(head.userAgent)) return out
  const agent = head.userAgent.slice(0, 1024)
  let details = tools.agents.get(`${agent}\n`)
  if (!details) {
    details = readUserAgent(agent, {})
    tools.agents.set(`${agent}\n`, details)
  }
  if (details.browser) out['browser.name'] = details.browser.name
  if (details.browser?.version) out['browser.version'] = details.browser.version
  if (details.os) out['os.name'] = details.os.name
  return out
}

type Details = { item: LogItem; moveUs: number; budget: ByteBudget; inferred: Loose }

const simpleAttributes = createSimpleAttributes(logColumnNames)

/** The attributes of a line, with `added` for names that are not sent. They mostly need one pass. */
function attributesOf(sent: unknown, added: Loose, budget: ByteBudget, repairs: Repairs): ReadAttributes {
  const simple = simpleAttributes(sent, added, budget)
  if (simple) return simple
  const all = ownConventional(plainAttributes(sent))
  for (const name in added) all[name] ??= added[name]
  return { columns: all, all, kept: boundedAttributes(all, budget, repairs, logColumnNames) }
}

/** One line; undefined if it is no object or has neither a text nor attributes. */
function sentLine(value: unknown, { item, moveUs, budget, inferred: added }: Details): SentLine | undefined {
  const line = object(value)
  if (!line) return undefined
  const body = own(line, 'body')
  const sentAttributes = own(line, 'attributes')
  if (body === undefined && sentAttributes === undefined) return undefined
  const repairs: Repairs = { count: 0 }
  if (body === undefined || body === null) repairs.count++
  const { all, columns, kept } = attributesOf(sentAttributes, added, budget, repairs)
  const severity = severityOf(own(line, 'severity_number'), own(line, 'level'), 'text')
  if (!severity) repairs.count++
  const [traceId, spanId] = [own(line, 'trace_id'), own(line, 'span_id') ?? own(columns, 'sentry.trace.parent_span_id')]
  const [trace, span] = [normalizeId(traceId), normalizeSpanId(spanId)]
  if ((traceId && !trace) || (spanId && !span)) repairs.count++
  return {
    timeUs: momentUs(own(line, 'timestamp'), moveUs),
    traceId: trace ?? '',
    spanId: span ?? '',
    severity: severity ?? unknownSeverity,
    body,
    template: templateOf(own(columns, 'sentry.message.template')),
    weight: weightOf(own(columns, 'sentry.sample_rate')),
    release: own(columns, 'sentry.release') ?? item.release,
    environment: own(columns, 'sentry.environment') ?? item.environment,
    platform: platformOf(own(all, 'sentry.sdk.name')),
    origin: word(own(columns, 'sentry.origin'), lengths.origin, repairs),
    attributes: kept,
    repaired: repairs.count,
  }
}

/** The readable lines of a container, and the numbers of those over the limit and of unreadable ones. */
export function linesOf(item: LogItem, context: Context, bytes: number) {
  const accepted = item.lines.length > logLinesMax ? item.lines.slice(0, logLinesMax) : item.lines
  const details: Details = {
    item,
    moveUs: drift(context.head.receivedMs, context.sentMs) * 1e6,
    // Each line has its own attributes, so together they are not larger than the item.
    budget: { bytes: Math.max(attributeBytesMax, bytes) },
    inferred: inferred(item, context),
  }
  const lines: SentLine[] = []
  for (const entry of accepted) {
    const line = sentLine(entry, details)
    if (line) lines.push(line)
  }
  return { lines, excess: item.lines.length - accepted.length, broken: accepted.length - lines.length }
}

/** A draft for the project's filters, from attributes of the first line: all lines come from one page or process. */
export function filterDraft(attributes: Loose, release: unknown, address: string | undefined, context: Context): Draft {
  const draft = newDraft({}, context.eventId)
  const named = releaseOf(release)
  if (named) draft.event.release = named
  const known = scalar(own(attributes, 'user.ip_address')) ?? scalar(own(attributes, 'client.address')) ?? address
  if (known) draft.event.user = { ip_address: known }
  const url = scalar(own(attributes, 'url.full'))
  const agent = scalar(own(attributes, 'user_agent.original'))
  draft.event.request = {
    ...(url ? { url } : {}),
    ...(agent ? { headers: [['User-Agent', agent]] } : {}),
  }
  return draft
}

/** The draft of a container for the filters. */
export function draftOf(item: LogItem, context: Context): Draft {
  const attributes = plainAttributes(own(object(item.lines[0]) ?? {}, 'attributes'))
  const release = own(attributes, 'sentry.release') ?? item.release
  return filterDraft(attributes, release, item.infersAddress ? context.head.clientAddress : undefined, context)
}
