import type { Outcome, OutcomeReason } from '../../../base/outcome.ts'
import { normalizeId } from '../../../wire/ids.ts'
import { attachmentsMax } from '../../../wire/item-types.ts'
import { readForm } from '../../../wire/minidump.ts'
import { ended } from '../../pipeline/item-outcome.ts'
import { wellFormed } from '../../pipeline/value.ts'
import { attachmentOfPart } from '../attachment/attachment.ts'
import { addDumpAttachment, attachmentEnd, attachmentLocation } from '../attachment/items.ts'
import { countOfEvent, refineEvent } from '../error/events.ts'
import { bodyKind, derivedId, type PlacedItem, type RecordWork } from '../kind.ts'
import { withFields } from './event.ts'
import { dumpOfItem, readOpened, readUpload, type Upload } from './upload.ts'

/** Items that can own a minidump of their envelope. Without such an item, the minidump becomes an event. */
const dumpOwners: ReadonlySet<string> = new Set(['event', 'transaction', 'replay_event', 'feedback'])

/** Takes the minidump of an envelope for its event. A minidump without an event becomes an event. */
export function extractDump(work: RecordWork, items: readonly PlacedItem[]): void {
  const placed = items.find(({ item }) => dumpOfItem(item) !== undefined)
  const dump = placed && dumpOfItem(placed.item)
  if (!placed || !dump) return
  work.dump = { ...readOpened(dump.bytes, work.dumps.get(placed.index)), fields: readForm(dump.fields).others }
  if (items.some(({ item }) => dumpOwners.has(item.type))) return
  // The new event counts in addition to the items of the envelope.
  work.out.received++
  const { named, sentMs } = work.envelope
  const parsed = { value: {}, repaired: false }
  refineEvent(work, { parsed, bytes: 0, itemType: 'event', eventId: named, index: placed.index, sentMs })
}

/** The form of a crash reporter; undefined if it has no dump. */
type Crash = { upload: Upload; value: unknown } | undefined

function readCrash({ head }: RecordWork, body: Buffer): Crash {
  const upload = readUpload(body, head.contentType)
  if (!upload) return undefined
  const form = readForm(upload.fields)
  const errors = form.broken ? { errors: [{ type: 'invalid_data', name: 'sentry', value: 'no JSON object' }] } : {}
  return { upload, value: wellFormed(withFields({ ...form.event, ...errors }, form.others)) }
}

/** The upload of a crash reporter: its event, the dump and further files. */
export const minidumpBody = bodyKind<Crash>({
  record: 'minidump',
  read: readCrash,
  countsAs: (crash) =>
    crash ? countOfEvent({ value: crash.value, repaired: false }) + 1 + crash.upload.files.length : 1,
  refine: (work, crash, body) => {
    if (!crash) {
      work.out.outcomes.push(ended(work, 'event', 'error', 'invalid', 'bad_item', body.length))
      return
    }
    const { dump, files, fields } = crash.upload
    const eventId = normalizeId(work.head.eventId) ?? derivedId(work, 0)
    const formBytes = fields.reduce((sum, field) => sum + field.name.length + field.value.length, 0)
    work.dump = { ...readOpened(dump.bytes, work.dumps.get(dump.index)), fields: [] }
    const parsed = { value: crash.value, repaired: false }
    refineEvent(work, { parsed, bytes: formBytes, itemType: 'event', eventId, index: 0, sentMs: undefined })
    const drop = (reason: OutcomeReason, outcome: Outcome, bytes: number) =>
      work.out.outcomes.push(attachmentEnd(work, outcome, reason, bytes))
    const dropped = work.discarded.get(eventId)
    if (dropped) drop(dropped, 'filtered', dump.bytes.length)
    else addDumpAttachment(work, dump.bytes, dump.name, attachmentLocation(work, eventId, dump.index))
    for (const { index, part } of files) {
      if (dropped) drop(dropped, 'filtered', part.bytes.length)
      else if (work.out.attachments.length > attachmentsMax) drop('too_many_items', 'invalid', part.bytes.length)
      else {
        const outcome = attachmentEnd(work, 'stored', 'ok', part.bytes.length)
        work.out.attachments.push({ ...attachmentOfPart(part, attachmentLocation(work, eventId, index)), outcome })
      }
    }
  },
})
