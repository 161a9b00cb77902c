import { hash } from 'node:crypto'
import type { DataCategory, Outcome, OutcomeCount, OutcomeReason } from '../../base/outcome.ts'
import type { NormalEvent } from '../../domain/event.ts'
import type { JournalRecord, RecordHead } from '../../journal/journal.ts'
import type { EventRow } from '../../store/events/events.ts'
import type { FeedbackEffect } from '../../store/meta/issues/feedback.ts'
import type { EventEffect, ProjectSettings } from '../../store/meta/meta.ts'
import type { FilteredEvent } from '../../store/meta/projects/inbound-filters.ts'
import { type EnvelopeItem, parseEnvelope } from '../../wire/envelope.ts'
import { normalizeId } from '../../wire/ids.ts'
import { isItemType, itemKind, needsEventId } from '../../wire/item-types.ts'
import { dumpAttachmentType, type FormField, readForm } from '../../wire/minidump.ts'
import { parseMultipart } from '../../wire/multipart.ts'
import { filtered, sampleOf } from '../filter/filter.ts'
import {
  type Attachment,
  type AttachmentPlace,
  attachmentOfDump,
  attachmentOfItem,
  attachmentOfPart,
} from '../kinds/attachment/attachment.ts'
import { makeEffect, rowOf } from '../kinds/error/row.ts'
import { seconds } from '../kinds/error/time.ts'
import { feedbackOf, reportOf } from '../kinds/feedback/feedback.ts'
import { eventOfDump, withFields } from '../kinds/minidump/event.ts'
import { dumpName, dumpOfItem, type OpenDumps, readOpened, readUpload } from '../kinds/minidump/upload.ts'
import { reportsMax, reportsOf } from '../kinds/security/security.ts'
import { type RefinedSpans, refineSpans, refineTransaction } from '../kinds/span/spans.ts'
import type { MapSource } from '../symbolicate/frames.ts'
import { withScrapes } from '../symbolicate/scrapes.ts'
import { discardsOf } from './client-reports.ts'
import { endsOfContents } from './contents.ts'
import { type Context, createTools, type Tools } from './context.ts'
import { newDraft } from './draft.ts'
import { ended } from './item-outcome.ts'
import type { Forms } from './lines.ts'
import { eventSteps, firstSteps } from './step.ts'
import { object, own, parsePayload, scalar, wellFormed } from './value.ts'

/** What a record became. */
export type Refined = {
  /**
   * `outcome` is the event's own end (stored); the loop turns it into duplicate when the id is known already. `index` is
   * which event of the record it is, those counted that were discarded; its row stands at the record's position plus it.
   */
  events: { row: EventRow; forms: Forms; effect: EventEffect; outcome: OutcomeCount; index: number }[]
  /** `outcome` as above. The blob has to be on disk before the row is committed. */
  attachments: (Attachment & { outcome: OutcomeCount })[]
  /** What people wrote; the commit turns `outcome` into duplicate when the id stands already. */
  feedback: FeedbackEffect[]
  /** Events that the project's filters dropped and that are kept to look at. */
  samples: FilteredEvent[]
  /** Transactions and span items. */
  spans: RefinedSpans[]
  /** Everything that ended otherwise. */
  outcomes: OutcomeCount[]
  /** Items that the envelope brought, but for those that accept took out; undefined for a body without a framing. */
  items: string[] | undefined
}

/** What one call works with. */
type Work = {
  record: JournalRecord
  head: RecordHead
  settings: ProjectSettings
  tools: Tools
  out: Refined
  /** Ids of events that were filtered, and why: what hangs on them goes with them. */
  discarded: Map<string, OutcomeReason>
  /** Events of the record so far, and which of them were filtered so: numbers must not move when an issue is deleted. */
  made: number
  discardedAt: Map<number, OutcomeReason>
  dumps: OpenDumps
  maps: MapSource | undefined
  /** The minidump that the record's event is about. */
  dump: (ReturnType<typeof readOpened> & { fields: FormField[] }) | undefined
  standing: Standing | undefined
}

/** Positions whose rows are stored already: of events, and of records that brought spans. */
export type Standing = { events: ReadonlySet<number>; spans: ReadonlySet<number> }

const attachmentsMax = 30

/**
 * Turns a journal record and its body (inflated; from the record or its spool) into rows, effects and outcomes. Pure: the
 * same record gives the same result, ids and blob keys included; `tools` only saves work, `dumps` is what `openDumps` made
 * of its compressed minidumps, `maps` the project's source maps as far as they are loaded. Bad data never throws.
 * `standing`: positions whose rows are stored already. No filter takes those out: it may be of after they were stored.
 */
export function refineRecord(
  record: JournalRecord,
  body: Buffer,
  settings: ProjectSettings,
  tools: Tools = createTools(),
  dumps: OpenDumps = new Map(),
  maps?: MapSource,
  standing?: Standing,
): Refined {
  const out: Refined = { ...nothing(), items: undefined }
  const discarded = new Map<string, OutcomeReason>()
  const places = { made: 0, discardedAt: new Map<number, OutcomeReason>(), dumps, maps, standing }
  const work: Work = { record, head: record.head, settings, tools, out, discarded, dump: undefined, ...places }
  if (record.head.kind === 'envelope') refineEnvelope(work, body)
  else if (record.head.kind === 'store') refineStore(work, body)
  else if (record.head.kind === 'security') refineReports(work, body, 'security', record.head)
  else if (record.head.kind === 'attachments') refineForm(work, body)
  else if (record.head.kind === 'minidump') refineMinidump(work, body)
  if (record.head.onlyItem !== undefined) return onlySpans(out)
  return record.head.only === undefined ? out : onlyEvent(work, record.head.only, body.length)
}

const nothing = (): Refined => ({
  events: [],
  attachments: [],
  feedback: [],
  samples: [],
  spans: [],
  outcomes: [],
  items: ['event'],
})

/** One event of a record whose others are stored already; one end, whatever the rules make of it by now. */
function onlyEvent(work: Work, index: number, bytes: number): Refined {
  const found = work.out.events.find((event) => event.index === index)
  if (found) return { ...nothing(), events: [found] }
  const gone = work.discardedAt.get(index)
  const end = ended(work, 'event', 'error', gone ? 'filtered' : 'invalid', gone ?? 'bad_item', bytes)
  return { ...nothing(), outcomes: [end] }
}

/** The spans of one item that is sent again; what of it is no row had its end when it came first. */
const onlySpans = (out: Refined): Refined =>
  out.spans.length > 0 ? { ...nothing(), spans: out.spans, items: out.items } : out

/** The effect of a stored row, from its payload: for recovery, when rows were inserted and the batch was not committed. */
export function effectOf(row: EventRow, keyId: number): EventEffect {
  const end = row.payload.indexOf('\n')
  const event = JSON.parse(end < 0 ? row.payload : row.payload.slice(0, end)) as NormalEvent
  return makeEffect(event, row, keyId)
}

/** 32 hex out of the record's place: the same when it is refined again. */
function derivedId(work: Work, index: number): string {
  return hash('md5', `${work.head.projectId}:${work.record.jpos}:${index}`, 'hex')
}

function refineEnvelope(work: Work, body: Buffer): void {
  const { value } = parseEnvelope(body)
  if (!value) {
    work.out.items = ['envelope'] // its one end is bad_envelope
    work.out.outcomes.push(ended(work, 'envelope', 'unknown', 'invalid', 'bad_envelope', body.length))
    return
  }
  const skip = new Set(work.head.skip)
  const { onlyItem } = work.head
  const items = value.items
    .map((item, index) => ({ item, index }))
    .filter(({ index }) => (onlyItem === undefined ? !skip.has(index) : index === onlyItem))
  work.out.items = items.map(({ item }) => item.type)
  const named = value.header.eventId ?? normalizeId(work.head.eventId)
  const sentS = value.header.sentAt === undefined ? undefined : seconds(value.header.sentAt)
  const sentMs = sentS === undefined ? undefined : sentS * 1000
  const around = { named, sentMs, trace: value.header.all['trace'] }
  const first = work.out.events.length
  const dump = items.find(({ item }) => dumpOfItem(item) !== undefined)
  const held = dump && dumpOfItem(dump.item)
  if (dump && held) {
    work.dump = { ...readOpened(held.bytes, work.dumps.get(dump.index)), fields: readForm(held.fields).rest }
    if (!items.some(({ item }) => withDump.has(item.type))) refineLoneDump(work, dump.index, named, sentMs)
  }
  for (const { item, index } of items) if (item.type !== 'attachment') refineItem(work, item, index, around)
  const made = work.out.events[first]?.row.eventId ?? work.out.feedback[0]?.row.feedbackId
  const isOwned = made !== undefined || work.discarded.size > 0
  // Ingest let them pass as those of an event. Where none came of it, nothing else bounds how many there are.
  const ownerId = !isOwned && items.some(({ item }) => namesOwner(item)) ? undefined : (named ?? made)
  const foreign =
    items.some(({ item }) => ['transaction', 'replay_event'].includes(item.type)) && !work.out.events.length
  for (const { item, index } of items)
    if (item.type === 'attachment') refineAttachment(work, item, index, ownerId, foreign)
}

/** Whether an item says that the envelope brings what its attachments belong to. */
const namesOwner = ({ type, headers }: EnvelopeItem): boolean =>
  type === 'event' || type === 'feedback' || headers['attachment_type'] === dumpAttachmentType

/** Items that a minidump in their envelope belongs to; without one it makes an event by itself. */
const withDump: ReadonlySet<string> = new Set(['event', 'transaction', 'replay_event', 'feedback'])

/** The event of a minidump that came without one: it counts beside the items that the framing names. */
function refineLoneDump(work: Work, index: number, eventId: string | undefined, sentMs: number | undefined): void {
  work.out.items?.push('event')
  const parsed = { value: {}, repaired: false }
  refineEvent(work, { parsed, bytes: 0, itemType: 'event', eventId, index, sentMs })
}

/** What an envelope says about all of its items. */
type Around = { named: string | undefined; sentMs: number | undefined; trace: unknown }

function refineItem(work: Work, item: EnvelopeItem, index: number, { named, sentMs, trace }: Around): void {
  const { type, payload } = item
  if (type === 'event') {
    const parsed = parsePayload(payload)
    refineEvent(work, { parsed, bytes: payload.length, itemType: type, eventId: named, index, sentMs })
  } else if (type === 'feedback' || type === 'user_report') {
    refineFeedback(work, {
      parsed: parsePayload(payload),
      bytes: payload.length,
      itemType: type,
      eventId: named,
      index,
      sentMs,
    })
  } else if (type === 'transaction') {
    const parsed = parsePayload(payload)
    const eventId = named ?? derivedId(work, index)
    refineTransaction(work, { parsed, bytes: payload.length, itemType: type, eventId, index, sentMs })
  } else if (type === 'span') {
    refineSpans(work, { item, eventId: derivedId(work, index), index, sentMs, trace })
  } else if (type === 'raw_security') {
    const release = scalar(item.headers['sentry_release'])
    const environment = scalar(item.headers['sentry_environment'])
    refineReports(work, payload, type, {
      ...work.head,
      ...(release ? { release } : {}),
      ...(environment ? { environment } : {}),
      ...(named ? { eventId: named } : {}),
    })
  } else {
    countOnly(work, item)
  }
}

/** An item that no store takes: what it holds is counted. */
function countOnly(work: Work, item: EnvelopeItem): void {
  const { type, payload } = item
  const { category } = itemKind(type)
  if (type === 'client_report')
    for (const { category: discarded, quantity } of discardsOf(payload))
      work.out.outcomes.push(ended(work, type, discarded, 'client_discard', 'sdk', 0, quantity))
  const contents = endsOfContents(item)
  for (const { outcome, reason, quantity, bytes } of contents ?? [])
    work.out.outcomes.push(ended(work, type, category, outcome, reason, bytes, quantity))
  if (contents) return
  const known = isItemType(type)
  const outcome = type === 'integration' ? 'invalid' : 'filtered'
  const reason = type === 'integration' ? 'bad_item' : known ? 'not_stored_yet' : 'unknown_item_type'
  work.out.outcomes.push(ended(work, known ? type : 'other', category, outcome, reason, payload.length))
}

type Incoming = {
  parsed: ReturnType<typeof parsePayload>
  bytes: number
  itemType: string
  eventId: string | undefined
  index: number
  sentMs: number | undefined
  head?: RecordHead
  category?: DataCategory
}

/** One event's JSON through every step to its row. Events behind a record's first stand at the positions right behind it. */
function refineEvent(work: Work, incoming: Incoming): void {
  let received = 'broken' in incoming.parsed ? undefined : object(incoming.parsed.value)
  const bad = (category: DataCategory, outcome: Outcome, reason: OutcomeReason) =>
    work.out.outcomes.push(ended(work, incoming.itemType, category, outcome, reason, incoming.bytes))
  if (!received) {
    bad('error', 'invalid', 'bad_json')
    return
  }
  const sentType = own(received, 'type')
  if (sentType === 'replay_event') return void bad('replay', 'filtered', 'not_stored_yet')
  if (sentType === 'transaction') {
    refineTransaction(work, { ...incoming, eventId: incoming.eventId ?? derivedId(work, incoming.index) })
    return
  }
  if (sentType === 'feedback') {
    refineFeedback(work, { ...incoming, itemType: 'feedback' })
    return
  }
  const place = work.made++
  const jpos = work.record.jpos + place
  // Its row would stand where the next record does: hundreds of reports in a body that lies outside of the journal.
  if (jpos >= work.record.end) return void bad('error', 'invalid', 'too_many_items')
  const dump = incoming.itemType === 'event' ? work.dump : undefined
  if (dump) received = eventOfDump(withFields(received, dump.fields), dump.dump, dump.why)
  const head = incoming.head ?? work.head
  const eventId = incoming.eventId ?? normalizeId(own(received, 'event_id')) ?? derivedId(work, incoming.index)
  const { settings, tools, maps } = work
  const context: Context = { head, eventId, sentMs: incoming.sentMs, settings, tools, maps }
  const draft = newDraft(received, eventId)
  if ('sent' in incoming.parsed && !dump) draft.sent = incoming.parsed.sent
  if ('repaired' in incoming.parsed && incoming.parsed.repaired)
    draft.remarks.errors.push({ type: 'invalid_data', reason: 'lone surrogates or NUL replaced' })
  const category = () =>
    incoming.category ?? (draft.event.csp ? 'security' : draft.event.type === 'error' ? 'error' : 'default')
  const drop = (reason: OutcomeReason) => {
    work.discarded.set(eventId, reason)
    work.discardedAt.set(place, reason)
    bad(category(), 'filtered', reason)
  }
  for (const step of firstSteps) step.run(draft, context)
  const stands = work.standing?.events.has(jpos)
  const dropped = stands ? undefined : filtered(draft, settings, tools, head)
  if (dropped) {
    const sample = sampleOf(draft, context, dropped, jpos)
    if (sample) work.out.samples.push(sample)
    drop(dropped.reason)
    return
  }
  for (const step of eventSteps.slice(firstSteps.length)) step.run(draft, context)
  const { event, remarks } = draft
  if (Object.keys(remarks.meta).length) event._meta = remarks.meta
  const forms: Forms = {
    normal: JSON.stringify(event),
    received: draft.sent?.text ?? JSON.stringify(received),
    sent: draft.sent?.bytes,
  }
  const row = rowOf(event, forms, { projectId: head.projectId, jpos, receivedMs: head.receivedMs })
  if (!stands && work.settings.discardedHashes?.some((hash) => row.hashes.includes(hash))) {
    drop('discarded')
    return
  }
  work.out.events.push({
    row,
    forms,
    effect: withScrapes(makeEffect(event, row, head.keyId), event, settings),
    outcome: ended(work, incoming.itemType, category(), 'stored', 'ok', incoming.bytes),
    index: place,
  })
}

/** What a person wrote, about an event (user_report) or by itself. */
function refineFeedback(work: Work, incoming: Incoming): void {
  const { projectId, receivedMs } = work.head
  const { itemType, bytes } = incoming
  const end = (outcome: Outcome, reason: OutcomeReason) => ended(work, itemType, 'feedback', outcome, reason, bytes)
  const item = 'broken' in incoming.parsed ? undefined : object(incoming.parsed.value)
  if (!item) {
    work.out.outcomes.push(end('invalid', 'bad_json'))
    return
  }
  const isReport = itemType === 'user_report'
  // A report carries the id of its event: one of its own is made.
  const sentId = isReport ? undefined : (incoming.eventId ?? normalizeId(own(item, 'event_id')))
  const feedbackId = sentId ?? derivedId(work, incoming.index)
  const { settings, tools } = work
  const place = { projectId, feedbackId, eventId: incoming.eventId, receivedMs, settings, tools }
  const row = isReport ? reportOf(item, place) : feedbackOf(item, place)
  if (row) work.out.feedback.push({ row, outcome: end('stored', 'ok') })
  else work.out.outcomes.push(end('invalid', 'bad_item'))
}

function refineStore(work: Work, body: Buffer): void {
  refineEvent(work, {
    parsed: parsePayload(body),
    bytes: body.length,
    itemType: 'event',
    eventId: normalizeId(work.head.eventId),
    index: 0,
    sentMs: undefined,
  })
}

/** Security reports of a browser: one or, by the Reporting API, several in a list. */
function refineReports(work: Work, bytes: Buffer, itemType: string, head: RecordHead): void {
  const parsed = parsePayload(bytes)
  const reports = 'broken' in parsed ? undefined : reportsOf(parsed.value)
  if (!reports) {
    work.out.outcomes.push(
      ended(work, itemType, 'security', 'invalid', 'broken' in parsed ? 'bad_json' : 'bad_item', bytes.length),
    )
    return
  }
  const kept = reports.events.slice(0, reportsMax)
  const share = Math.floor(bytes.length / Math.max(1, reports.events.length + reports.other))
  for (const [index, report] of kept.entries()) {
    const eventId = index === 0 ? normalizeId(head.eventId) : undefined
    const repaired = 'repaired' in parsed && parsed.repaired
    refineEvent(work, {
      parsed: { value: report, repaired },
      bytes: share,
      itemType,
      eventId,
      index,
      sentMs: undefined,
      head,
      category: 'security',
    })
  }
  const rest = reports.events.length - kept.length
  if (rest)
    work.out.outcomes.push({
      ...ended(work, itemType, 'security', 'invalid', 'too_many_items', share * rest),
      quantity: rest,
    })
  if (reports.other)
    work.out.outcomes.push({
      ...ended(work, itemType, 'security', 'filtered', 'not_stored_yet', share * reports.other),
      quantity: reports.other,
    })
}

function refineAttachment(
  work: Work,
  item: EnvelopeItem,
  index: number,
  eventId: string | undefined,
  foreign: boolean,
): void {
  const end = (outcome: Outcome, reason: OutcomeReason) =>
    ended(work, 'attachment', 'attachment', outcome, reason, item.payload.length)
  const gone = eventId === undefined ? undefined : work.discarded.get(eventId)
  if (foreign || !needsEventId('attachment', item.headers)) work.out.outcomes.push(end('filtered', 'not_stored_yet'))
  else if (!eventId) work.out.outcomes.push(end('invalid', 'event_missing'))
  else if (gone) work.out.outcomes.push(end('filtered', gone))
  else if (work.out.attachments.length >= attachmentsMax) work.out.outcomes.push(end('invalid', 'too_many_items'))
  else {
    const { projectId, receivedMs } = work.head
    const place = { projectId, eventId, jpos: work.record.jpos, index, receivedMs }
    const dump = dumpOfItem(item)
    // one that came packed or in a form is kept as the dump alone
    if (dump && (work.dumps.has(index) || dump.bytes !== item.payload))
      keepDump(work, dump.bytes, item.headers['filename'], place)
    else work.out.attachments.push({ ...attachmentOfItem(item, place), outcome: end('stored', 'ok') })
  }
}

/** A minidump as an attachment, unpacked; one that cannot be unpacked is counted and not kept. */
function keepDump(work: Work, bytes: Buffer, name: unknown, place: AttachmentPlace): void {
  const opened = work.dumps.get(place.index)
  const end = (outcome: Outcome, reason: OutcomeReason) =>
    ended(work, 'attachment', 'attachment', outcome, reason, bytes.length)
  if (opened === undefined || opened.end === 'ok')
    work.out.attachments.push({
      ...attachmentOfDump(bytes, dumpName(name), place, opened),
      outcome: end('stored', 'ok'),
    })
  else work.out.outcomes.push(end('invalid', opened.end === 'broken' ? 'bad_encoding' : 'too_large'))
}

/** A crash reporter's upload: its event, the dump and the files beside it. */
function refineMinidump(work: Work, body: Buffer): void {
  const upload = readUpload(body, work.head.contentType)
  const eventId = normalizeId(work.head.eventId) ?? derivedId(work, 0)
  if (!upload) {
    work.out.outcomes.push(ended(work, 'event', 'error', 'invalid', 'bad_item', body.length))
    return
  }
  const { dump, files, fields } = upload
  const form = readForm(fields)
  const formBytes = fields.reduce((sum, field) => sum + field.name.length + field.value.length, 0)
  const errors = form.broken ? { errors: [{ type: 'invalid_data', name: 'sentry', value: 'no JSON object' }] } : {}
  const value = wellFormed(withFields({ ...form.event, ...errors }, form.rest))
  work.dump = { ...readOpened(dump.bytes, work.dumps.get(dump.index)), fields: [] }
  const parsed = { value, repaired: false }
  refineEvent(work, { parsed, bytes: formBytes, itemType: 'event', eventId, index: 0, sentMs: undefined })
  const { projectId, receivedMs } = work.head
  const place = (index: number) => ({ projectId, eventId, jpos: work.record.jpos, index, receivedMs })
  const gone = (reason: OutcomeReason, outcome: Outcome, bytes: number) =>
    work.out.outcomes.push(ended(work, 'attachment', 'attachment', outcome, reason, bytes))
  const dropped = work.discarded.get(eventId)
  if (dropped) gone(dropped, 'filtered', dump.bytes.length)
  else keepDump(work, dump.bytes, dump.name, place(dump.index))
  for (const { index, part } of files) {
    if (dropped) gone(dropped, 'filtered', part.bytes.length)
    else if (work.out.attachments.length > attachmentsMax) gone('too_many_items', 'invalid', part.bytes.length)
    else {
      const outcome = ended(work, 'attachment', 'attachment', 'stored', 'ok', part.bytes.length)
      work.out.attachments.push({ ...attachmentOfPart(part, place(index)), outcome })
    }
  }
}

/** A form of files for an event that is there already. */
function refineForm(work: Work, body: Buffer): void {
  const { projectId, receivedMs } = work.head
  const eventId = normalizeId(work.head.eventId)
  const { value } = parseMultipart(body, work.head.contentType)
  const end = (outcome: Outcome, reason: OutcomeReason, bytes: number) =>
    ended(work, 'attachment', 'attachment', outcome, reason, bytes)
  if (!value || !eventId) {
    work.out.outcomes.push(end('invalid', value ? 'event_missing' : 'bad_item', body.length))
    return
  }
  for (const [index, part] of value.entries()) {
    if (work.out.attachments.length >= attachmentsMax) {
      work.out.outcomes.push(end('invalid', 'too_many_items', part.bytes.length))
      continue
    }
    const made = attachmentOfPart(part, { projectId, eventId, jpos: work.record.jpos, index, receivedMs })
    work.out.attachments.push({ ...made, outcome: end('stored', 'ok', part.bytes.length) })
  }
}
