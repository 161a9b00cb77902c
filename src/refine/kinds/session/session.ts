import { hash } from 'node:crypto'
import type { OutcomeReason } from '../../../base/outcome.ts'
import type { SessionRow } from '../../../store/events/session-store.ts'
import { filtered } from '../../filter/filter.ts'
import { newDraft } from '../../pipeline/draft.ts'
import { ended } from '../../pipeline/item-outcome.ts'
import { type Loose, object, own, parsePayload } from '../../pipeline/value.ts'
import { drift } from '../error/time.ts'
import { itemKind, type PlacedItem, type RecordWork, type RepeatWindow } from '../kind.ts'
import { attributesOf, bucketOf, bucketsMax, type SessionAttributes, type SessionUpdate, updateOf } from './parse.ts'

/** Updates of the last hour, by their payload. A client without an answer sends the same update again. */
export const sessionWindow: RepeatWindow = { name: 'sessions', max: 200_000 }

/** A parsed item: one update, or a list of buckets. */
type SessionPayload = { whole: Loose; buckets: unknown[] | undefined } | { fault: OutcomeReason }

function readPayload({ item: { type, payload } }: PlacedItem): SessionPayload {
  const parsed = parsePayload(payload)
  if ('broken' in parsed) return { fault: 'bad_json' }
  const whole = object(parsed.value)
  if (!whole) return { fault: 'bad_item' }
  if (type === 'session') return { whole, buckets: undefined }
  const buckets = own(whole, 'aggregates')
  return Array.isArray(buckets) && buckets.length > 0 ? { whole, buckets } : { fault: 'bad_item' }
}

/** Applies the project's filters like for an event: by release, address and user agent. */
function dropReason(work: RecordWork, attributes: SessionAttributes): OutcomeReason | undefined {
  const { head, record, settings, tools, stored } = work
  // Stored rows already passed the filters the first time.
  if (!settings.filters || stored?.get('sessions')?.has(record.jpos)) return undefined
  const draft = newDraft({}, '')
  draft.event.release = attributes.release
  if (attributes.address) draft.event.user = { ip_address: attributes.address }
  if (attributes.agent) draft.event.request = { headers: [['User-Agent', attributes.agent]] }
  return filtered(draft, settings, tools, head)?.reason
}

const userHash = (user: string): string => (user === '' ? '' : hash('md5', `id:${user}`, 'hex').slice(0, 16))

/** The rows of one ledger entry. `first` is the number of the first row in its record. */
const rowsOf = (
  { head, record }: RecordWork,
  { release, environment }: SessionAttributes,
  updates: readonly SessionUpdate[],
  first: number,
): SessionRow[] =>
  updates.map(({ user, sid, ...update }, at) => ({
    ...update,
    release,
    environment,
    projectId: head.projectId,
    sid: sid || `${record.jpos} ${first + at}`,
    userHash: userHash(user),
    receivedMs: head.receivedMs,
    jpos: record.jpos,
    place: first + at,
    entries: at === 0 ? 1 : 0,
  }))

/** The updates of each entry of an item, undefined for an invalid entry. */
function entriesOf(
  work: RecordWork,
  { whole, buckets }: Extract<SessionPayload, { whole: Loose }>,
): (SessionUpdate[] | undefined)[] {
  const { receivedMs } = work.head
  const clock = { receivedMs, shiftS: drift(receivedMs, work.envelope.sentMs) }
  if (buckets) return buckets.slice(0, bucketsMax).map((bucket) => bucketOf(bucket, clock))
  const update = updateOf(whole, clock)
  return [update && [update]]
}

/**
 * Release-health sessions. `session` is an update of one session; `sessions` has a server's counts by the minute. Each
 * update and each bucket is one ledger entry, regardless of how many sessions a bucket counts.
 */
export const sessionKind = itemKind<SessionPayload>({
  itemTypes: ['session', 'sessions'],
  read: readPayload,
  countsAs: (payload) => ('fault' in payload ? 1 : (payload.buckets?.length ?? 1)),

  refine(work, payload, { item, index }) {
    const { head, record, out } = work
    const bytes = item.payload.length
    const end = (outcome: 'stored' | 'filtered' | 'invalid', reason: OutcomeReason, quantity: number, size = 0) =>
      ended(work, item.type, 'session', outcome, reason, size, quantity)
    if ('fault' in payload) {
      out.outcomes.push(end('invalid', payload.fault, 1, bytes))
      return
    }
    const count = payload.buckets?.length ?? 1
    const attributes = attributesOf(own(payload.whole, 'attrs'))
    const dropped = attributes && dropReason(work, attributes)
    if (!attributes || dropped) {
      out.outcomes.push(end(dropped ? 'filtered' : 'invalid', dropped ?? 'bad_item', count, bytes))
      return
    }
    const entries = entriesOf(work, payload)
    const sound = entries.filter((updates) => updates !== undefined)
    const [broken, excess] = [entries.length - sound.length, count - entries.length]
    const share = Math.floor(bytes / count)
    if (broken > 0) out.outcomes.push(end('invalid', 'bad_item', broken, share * broken))
    if (excess > 0) out.outcomes.push(end('invalid', 'too_many_items', excess, share * excess))
    if (sound.length === 0) return
    const place = out.groups.reduce((sum, group) => sum + (group.table === 'sessions' ? group.rows.length : 0), 0)
    const rows: SessionRow[] = []
    for (const updates of sound) rows.push(...rowsOf(work, attributes, updates, place + rows.length))
    out.groups.push({
      table: 'sessions',
      rows,
      window: sessionWindow.name,
      // Two server processes can send equal counts within a minute, so equal bucket items are no duplicates.
      key: hash('md5', payload.buckets ? `${record.jpos} ${index}` : item.payload, 'hex'),
      projectId: head.projectId,
      receivedMs: head.receivedMs,
      jpos: record.jpos,
      place,
      index,
      part: 'onlyItem',
      outcomes: [end('stored', 'ok', sound.length, share * sound.length)],
    })
    const starts = rows.map((row) => row.startedMs)
    const { release, environment } = attributes
    const [firstMs, lastMs] = [Math.min(...starts), Math.max(...starts)]
    out.effects.releases.push({ projectId: head.projectId, release, environment, firstMs, lastMs })
  },
})
