import type { OutcomeReason } from '../../../base/outcome.ts'
import type { SpanRow } from '../../../store/events/span-store.ts'
import { filtered } from '../../filter/filter.ts'
import type { Context } from '../../pipeline/context.ts'
import { ended } from '../../pipeline/item-outcome.ts'
import { isPlain, rulesOf, scrubTree } from '../../scrub/scrub.ts'
import { userAgent } from '../error/user-agent.ts'
import { bodyKind, derivedId, isStoredAt, type RecordWork } from '../kind.ts'
import { attributeBytesMax, type ByteBudget, spansMax } from '../span/parts.ts'
import { addRows, fittingCount, spanItemKey, spanItemWindow } from '../span/spans.ts'
import { scrubbedRows } from '../span/transaction.ts'
import type { OtlpSpan, Placed } from './message.ts'
import { type BodyRead, bodyOf } from './read-body.ts'
import { bareSpan, draftOf, type SoundSpan, segmentsOf, type Unit, unitsOf, withDetails } from './rows.ts'
import { readSpansJson } from './span-json.ts'
import { readSpansProtobuf } from './span-protobuf.ts'

const itemType = 'otlp'

/** A span that can be stored: undefined if it is broken or has not both ids. */
function soundSpan({ resource, scope, item }: Placed<OtlpSpan>): SoundSpan | undefined {
  if (item?.traceId === undefined || item.spanId === undefined) return undefined
  return { resource, scope, span: { ...item, traceId: item.traceId, spanId: item.spanId } }
}

type ReadBody = BodyRead<OtlpSpan>

/** Spans that are stored or refused together. `index` and `place` do not depend on what is filtered. */
type Group = { index: number; place: number; unit: Unit; spans: SoundSpan[] }

/** Groups of at most 1,000 spans, each of one unit. */
function groupsOf(units: readonly Unit[]): Group[] {
  const groups: Group[] = []
  let place = 0
  for (const unit of units)
    for (let from = 0; from < unit.length; from += spansMax) {
      const spans = unit.slice(from, from + spansMax)
      groups.push({ index: groups.length, place, unit, spans })
      place += spans.length
    }
  return groups
}

/** The reason why the project's filters drop a unit. Stored rows already passed the filters in the previous run. */
function droppedUnits(work: RecordWork, context: Context, units: readonly Unit[]): ReadonlyMap<Unit, OutcomeReason> {
  const dropped = new Map<Unit, OutcomeReason>()
  const { settings, tools, head } = work
  if (!settings.filters) return dropped
  let place = 0
  for (const unit of units) {
    const first = place
    place += unit.length
    if (isStoredAt(work, 'spans', first, unit.length)) continue
    const draft = draftOf(unit, context)
    userAgent(draft, context)
    const found = filtered(draft, settings, tools, head)
    if (found) dropped.set(unit, found.reason)
  }
  return dropped
}

/** A protobuf span is about half of its row, because ids and numbers are binary. */
const growth = 2

/** The rows of the groups in their order, with scrubbed events and links. */
function rowsOf(
  work: RecordWork,
  context: Context,
  groups: readonly Group[],
  read: ReadBody,
  bytes: number,
): SpanRow[] {
  const budget: ByteBudget = { bytes: Math.max(attributeBytesMax, bytes) }
  const segments = new Map<Unit, ReturnType<typeof segmentsOf>>()
  const spans = groups.flatMap(({ unit, spans }) => {
    const found = segments.get(unit) ?? segmentsOf(unit)
    segments.set(unit, found)
    return spans.map((placed) => bareSpan(placed, { context, jpos: work.record.jpos, budget, segments: found }))
  })
  const rules = rulesOf(context)
  const details = spans.map(({ events, links }) => ({ events, links }))
  if (!isPlain(read.sent, rules)) scrubTree({ details }, rules, undefined)
  const rows = scrubbedRows(
    spans.map(({ bare }) => bare),
    read.sent,
    context,
    0,
  )
  return rows.map((row, at) => {
    const { events = [], links = [] } = details[at] ?? {}
    return withDetails(row, events, links)
  })
}

/** Adds the groups' rows that fit into the size allowed for the body. Returns the number of rows that do not. */
function addGroups(
  work: RecordWork,
  context: Context,
  groups: readonly Group[],
  read: ReadBody,
  bytes: number,
): number {
  const rows = rowsOf(work, context, groups, read, bytes)
  const fitCount = fittingCount(rows, bytes * growth)
  let at = 0
  for (const { index, place, spans } of groups) {
    const own = rows.slice(at, Math.min(at + spans.length, fitCount))
    at += spans.length
    if (own.length === 0) break
    for (const [offset, row] of own.entries()) row.place = place + offset
    const share = Math.floor((bytes * own.length) / read.body.items.length)
    const outcomes = [ended(work, itemType, 'span', 'stored', 'ok', share, own.length)]
    addRows(work, own, { window: spanItemWindow.name, key: spanItemKey(own), index, outcomes })
  }
  return rows.length - fitCount
}

/** The body of an OTLP request. Each of its spans has its own outcome. */
export const otlpBody = bodyKind<ReadBody>({
  record: 'otlp',
  read: ({ head }, bytes) => bodyOf(head.contentType, bytes, readSpansProtobuf, readSpansJson),
  countsAs: ({ body }) => Math.max(1, body.items.length + body.excess),
  refine: (work, read, bytes) => {
    const { head, settings, tools, out } = work
    const { body, fault } = read
    const invalid = (reason: OutcomeReason, quantity: number) => {
      if (quantity === 0) return
      const share = Math.floor((bytes.length * quantity) / Math.max(1, body.items.length + body.excess))
      out.outcomes.push(ended(work, itemType, 'span', 'invalid', reason, share, quantity))
    }
    if (fault) return invalid(fault, 1)
    const sound = body.items.flatMap((placed) => soundSpan(placed) ?? [])
    invalid('bad_item', body.items.length - sound.length)
    invalid('too_many_items', body.excess)
    if (sound.length === 0) return
    const context: Context = {
      head,
      eventId: derivedId(work, 0),
      sentMs: undefined,
      settings,
      tools,
      maps: undefined,
    }
    const units = unitsOf(sound)
    const dropped = droppedUnits(work, context, units)
    for (const [unit, reason] of dropped)
      out.outcomes.push(ended(work, itemType, 'span', 'filtered', reason, 0, unit.length))
    const groups = groupsOf(units).filter(({ unit }) => !dropped.has(unit))
    invalid('too_large', addGroups(work, context, groups, read, bytes.length))
  },
})
