import type { Outcome, OutcomeReason } from '../../../base/outcome.ts'
import type { EnvelopeItem } from '../../../wire/envelope.ts'
import { normalizeId } from '../../../wire/ids.ts'
import { attachmentsMax, needsEventId } from '../../../wire/item-types.ts'
import { dumpAttachmentType } from '../../../wire/minidump.ts'
import { type MultipartPart, parseMultipart } from '../../../wire/multipart.ts'
import { ended } from '../../pipeline/item-outcome.ts'
import { bodyKind, itemKind, type PlacedItem, type RecordWork } from '../kind.ts'
import { dumpName, dumpOfItem } from '../minidump/upload.ts'
import { type AttachmentLocation, attachmentOfDump, attachmentOfItem, attachmentOfPart } from './attachment.ts'

/** Builds the outcome of an attachment. `bytes`: its payload size. */
export const attachmentEnd = (work: RecordWork, outcome: Outcome, reason: OutcomeReason, bytes: number) =>
  ended(work, 'attachment', 'attachment', outcome, reason, bytes)

/** The place of an attachment of an event. */
export function attachmentLocation(work: RecordWork, eventId: string, index: number): AttachmentLocation {
  const { projectId, receivedMs } = work.head
  return { projectId, eventId, jpos: work.record.jpos, index, receivedMs }
}

/** Whether an item is an event, a feedback or a minidump, which can own the attachments of its envelope. */
const namesOwner = ({ type, headers }: EnvelopeItem): boolean =>
  type === 'event' || type === 'feedback' || headers['attachment_type'] === dumpAttachmentType

/** Item types whose attachments are not stored, because they belong to no event. */
const foreignOwners: ReadonlySet<string> = new Set(['transaction', 'replay_event'])

/** Finds the owner of an envelope's attachments. Call it once the other items are refined. */
export function findOwner(work: RecordWork, items: readonly PlacedItem[]): void {
  const { out, discarded, envelope } = work
  const event = out.groups.find((group) => group.table === 'events')
  const made = event?.key ?? out.effects.feedback[0]?.row.feedbackId
  const isOwned = made !== undefined || discarded.size > 0
  // Ingest let them pass as attachments of an event. If that event was not stored, nothing else limits their number.
  envelope.ownerId = !isOwned && items.some(({ item }) => namesOwner(item)) ? undefined : (envelope.named ?? made)
  envelope.foreign = !event && items.some(({ item }) => foreignOwners.has(item.type))
}

function refineAttachment(work: RecordWork, { item, index }: PlacedItem): void {
  const { ownerId: eventId, foreign } = work.envelope
  const end = (outcome: Outcome, reason: OutcomeReason) => attachmentEnd(work, outcome, reason, item.payload.length)
  const discardReason = eventId === undefined ? undefined : work.discarded.get(eventId)
  if (foreign || !needsEventId('attachment', item.headers)) work.out.outcomes.push(end('filtered', 'not_stored_yet'))
  else if (!eventId) work.out.outcomes.push(end('invalid', 'event_missing'))
  else if (discardReason) work.out.outcomes.push(end('filtered', discardReason))
  else if (work.out.attachments.length >= attachmentsMax) work.out.outcomes.push(end('invalid', 'too_many_items'))
  else {
    const location = attachmentLocation(work, eventId, index)
    const dump = dumpOfItem(item)
    // A compressed dump, or one in a form, is stored as the dump alone.
    if (dump && (work.dumps.has(index) || dump.bytes !== item.payload))
      addDumpAttachment(work, dump.bytes, item.headers['filename'], location)
    else work.out.attachments.push({ ...attachmentOfItem(item, location), outcome: end('stored', 'ok') })
  }
}

/** Stores a minidump as a decompressed attachment. One that cannot be decompressed is only counted. */
export function addDumpAttachment(work: RecordWork, bytes: Buffer, name: unknown, location: AttachmentLocation): void {
  const opened = work.dumps.get(location.index)
  if (opened === undefined || opened.end === 'ok')
    work.out.attachments.push({
      ...attachmentOfDump(bytes, dumpName(name), location, opened),
      outcome: attachmentEnd(work, 'stored', 'ok', bytes.length),
    })
  else
    work.out.outcomes.push(
      attachmentEnd(work, 'invalid', opened.end === 'broken' ? 'bad_encoding' : 'too_large', bytes.length),
    )
}

export const attachmentKind = itemKind<undefined>({
  itemTypes: ['attachment'],
  isLast: true,
  read: () => undefined,
  countsAs: () => 1,
  refine: (work, _payload, placed) => refineAttachment(work, placed),
})

/** The parts of a form for an existing event. `parts` or `eventId` is undefined if the body has none. */
type ReadForm = { parts: MultipartPart[] | undefined; eventId: string | undefined }

/** A form with files for an existing event. */
export const formBody = bodyKind<ReadForm>({
  record: 'attachments',
  read: ({ head }, body) => ({
    parts: parseMultipart(body, head.contentType).value,
    eventId: normalizeId(head.eventId),
  }),
  countsAs: ({ parts, eventId }) => (parts && eventId ? parts.length : 1),
  refine: (work, { parts, eventId }, body) => {
    if (!parts || !eventId) {
      const reason = parts ? 'event_missing' : 'bad_item'
      work.out.outcomes.push(attachmentEnd(work, 'invalid', reason, body.length))
      return
    }
    for (const [index, part] of parts.entries()) {
      if (work.out.attachments.length >= attachmentsMax) {
        work.out.outcomes.push(attachmentEnd(work, 'invalid', 'too_many_items', part.bytes.length))
        continue
      }
      const attachment = attachmentOfPart(part, attachmentLocation(work, eventId, index))
      work.out.attachments.push({ ...attachment, outcome: attachmentEnd(work, 'stored', 'ok', part.bytes.length) })
    }
  },
})
