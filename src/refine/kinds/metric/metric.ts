import { hash } from 'node:crypto'
import type { OutcomeReason } from '../../../base/outcome.ts'
import type { MetricRow } from '../../../store/events/metric-store.ts'
import type { EnvelopeItem } from '../../../wire/envelope.ts'
import { claimedCount } from '../../../wire/item-types.ts'
import { filtered } from '../../filter/filter.ts'
import type { Context } from '../../pipeline/context.ts'
import { newDraft } from '../../pipeline/draft.ts'
import { ended } from '../../pipeline/item-outcome.ts'
import { object, own, parsePayload, type Sent, scalar } from '../../pipeline/value.ts'
import { drift } from '../error/time.ts'
import { userAgent } from '../error/user-agent.ts'
import {
  derivedId,
  isStored,
  isStoredAt,
  itemKind,
  nextPlace,
  type RecordWork,
  type RepeatWindow,
  skipPlaces,
} from '../kind.ts'
import { attributeBytesMax } from '../span/parts.ts'
import { type BareMetric, pointOf } from './point.ts'
import { metricRows } from './rows.ts'

/** Items of the last hour, by their payload: a client without an answer sends the same points again. */
export const metricWindow: RepeatWindow = { name: 'metrics', max: 200_000 }

/** Points of one item that are read. JavaScript sends at most 1,000, and the limit of an item is 12 MiB. */
const pointsMax = 20_000

/** Rows of a group. It is refused as a whole, and its effects are small. */
const groupMax = 1000

/** Adds rows in groups of whole points. `key` names the payload that they came with. `bytes`: its size. */
export function addMetrics(
  work: RecordWork,
  rows: readonly MetricRow[],
  { key, index, itemType, bytes }: { key: string; index: number; itemType: string; bytes: number },
): void {
  const { projectId, receivedMs } = work.head
  for (let from = 0, part = 0; from < rows.length; part++) {
    let to = Math.min(from + groupMax, rows.length)
    while (rows[to]?.entries === 0) to++
    const own = rows.slice(from, to)
    const points = own.reduce((sum, { entries }) => sum + entries, 0)
    const place = own[0]?.place ?? 0
    const isListed = isStored(work, 'metrics', work.record.jpos) || own.some((row, at) => row.place !== place + at)
    const share = Math.floor((bytes * own.length) / rows.length)
    work.out.groups.push({
      table: 'metrics',
      rows: own,
      window: metricWindow.name,
      key: part === 0 ? key : hash('md5', `${key} ${part}`, 'hex'),
      projectId,
      receivedMs,
      jpos: work.record.jpos,
      place,
      ...(isListed ? { places: own.map((row) => row.place) } : {}),
      index,
      part: 'onlyItem',
      outcomes: [ended(work, itemType, 'trace_metric', 'stored', 'ok', share, points)],
    })
    from = to
  }
}

/** A parsed container, or why it has no points. `claimed`: the number of points by its header. */
type ReadMetrics = { items: readonly unknown[]; sent: Sent | undefined; fault?: OutcomeReason; claimed: number }

function readMetrics({ type, headers, payload }: EnvelopeItem): ReadMetrics {
  const parsed = parsePayload(payload)
  const claimed = claimedCount({ type, headers, bytes: payload.length })
  const none = { items: [], sent: undefined, claimed }
  if ('broken' in parsed) return { ...none, fault: 'bad_json' }
  const whole = object(parsed.value)
  const items = whole && own(whole, 'items')
  // The first clients sent a metric as an item of its own.
  if (whole && items === undefined) return { items: [whole], sent: parsed.sent, claimed: 1 }
  if (!Array.isArray(items)) return { ...none, fault: 'bad_item' }
  if (items.length === 0) return { ...none, claimed: 1, fault: 'bad_item' }
  return { items, sent: parsed.sent, claimed: items.length }
}

/**
 * Why the project's filters drop the points of a program, whose rows have `count` places from `first` on. Stored rows already
 * passed the filters in the previous run.
 */
export function droppedBy(
  work: RecordWork,
  context: Context,
  { first, count }: { first: number; count: number },
  { release, attributes }: Pick<BareMetric, 'release' | 'attributes'>,
): OutcomeReason | undefined {
  const { settings, tools, head } = work
  if (!settings.filters || isStoredAt(work, 'metrics', first, count)) return undefined
  const draft = newDraft({}, context.eventId)
  if (release) draft.event.release = release
  const address = scalar(own(attributes, 'user.ip_address'))
  if (address) draft.event.user = { ip_address: address }
  userAgent(draft, context)
  return filtered(draft, settings, tools, head)?.reason
}

/** A container of metrics. Each of its points has its own outcome. */
export const metricKind = itemKind<ReadMetrics>({
  itemTypes: ['trace_metric'],
  read: ({ item }) => readMetrics(item),
  countsAs: ({ claimed }) => claimed,
  refine: (work, { items, sent, fault, claimed }, { item: { type, payload }, index }) => {
    const { head, settings, tools, record, out, envelope } = work
    const bytes = payload.length
    const end = (outcome: 'filtered' | 'invalid', reason: OutcomeReason, quantity: number) => {
      const share = Math.floor((bytes * quantity) / claimed)
      if (quantity > 0) out.outcomes.push(ended(work, type, 'trace_metric', outcome, reason, share, quantity))
    }
    if (fault) return end('invalid', fault, claimed)
    const context: Context = {
      head,
      eventId: derivedId(work, index),
      sentMs: envelope.sentMs,
      settings,
      tools,
      maps: undefined,
    }
    const trace = object(envelope.trace) ?? {}
    const points = items.slice(0, pointsMax).map((item) =>
      pointOf(item, {
        projectId: head.projectId,
        receivedMs: head.receivedMs,
        jpos: record.jpos,
        moveMs: drift(head.receivedMs, envelope.sentMs) * 1000,
        release: own(trace, 'release'),
        environment: own(trace, 'environment'),
        budget: { bytes: attributeBytesMax },
      }),
    )
    for (const reason of ['bad_item', 'too_large'] as const)
      end('invalid', reason, points.filter((point) => point === reason).length)
    end('invalid', 'too_many_items', items.length - points.length)
    const sound = points.filter((point) => typeof point === 'object')
    const [first] = sound
    if (!first) return
    const place = nextPlace(work, 'metrics')
    const dropped = droppedBy(work, context, { first: place, count: sound.length }, first)
    if (dropped) {
      skipPlaces(work, 'metrics', sound.length)
      return end('filtered', dropped, sound.length)
    }
    const rows = metricRows(sound, sent, context, (at) => place + at)
    const share = Math.floor((bytes * sound.length) / claimed)
    addMetrics(work, rows, { key: hash('md5', payload, 'hex'), index, itemType: type, bytes: share })
  },
})
