import type { AttachmentRow } from '../../../store/meta/meta.ts'
import type { EnvelopeItem } from '../../../wire/envelope.ts'
import { dumpAttachmentType } from '../../../wire/minidump.ts'
import type { MultipartPart } from '../../../wire/multipart.ts'

/** `pieces`: what is kept instead of `bytes`, as a stream of `row.bytes`. */
export type Attachment = { row: AttachmentRow; bytes: Uint8Array; pieces?: () => AsyncIterable<Uint8Array> }

/** Where an attachment belongs: ids, the record that brought it, and its place there. Times in ms. */
export type AttachmentPlace = { projectId: number; eventId: string; jpos: number; index: number; receivedMs: number }

/** The attachment of an envelope's item; the key is made of numbers and the id alone, so that refining again meets it again. */
export function attachmentOfItem(item: EnvelopeItem, place: AttachmentPlace): Attachment {
  const { headers } = item
  return make(
    place,
    item.payload,
    fileName(headers['filename']),
    short(headers['attachment_type'], 'event.attachment'),
    short(headers['content_type'], ''),
  )
}

/** The attachment of a part of a form. */
export function attachmentOfPart(part: MultipartPart, place: AttachmentPlace): Attachment {
  return make(place, part.bytes, fileName(part.filename ?? part.name), 'event.attachment', short(part.contentType, ''))
}

/** The attachment of a minidump; one that came compressed is kept as what `unpacked` gives. */
export function attachmentOfDump(
  bytes: Uint8Array,
  name: string,
  place: AttachmentPlace,
  unpacked?: { bytes: number; pieces(): AsyncIterable<Uint8Array> },
): Attachment {
  const made = make(place, bytes, name, dumpAttachmentType, 'application/x-dmp')
  if (unpacked === undefined) return made
  return { row: { ...made.row, bytes: unpacked.bytes }, bytes, pieces: () => unpacked.pieces() }
}

function make(place: AttachmentPlace, bytes: Uint8Array, name: string, type: string, contentType: string): Attachment {
  const { projectId, eventId, jpos, index, receivedMs } = place
  const blobKey = `attachments/${projectId}/${eventId}/${jpos}-${index}`
  return { row: { projectId, eventId, name, type, contentType, bytes: bytes.byteLength, blobKey, receivedMs }, bytes }
}

/** A name for show and download only: the last segment, without control signs. */
export function fileName(value: unknown): string {
  if (typeof value !== 'string') return 'attachment'
  const last = value.slice(-1024).split(/[/\\]/).at(-1) ?? ''
  const clean = last
    .toWellFormed()
    .replace(/[\0-\x1f\x7f\u202a-\u202e\u2066-\u2069]/g, '')
    .trim()
    .slice(0, 255)
    .toWellFormed()
  return clean === '' || clean === '.' || clean === '..' ? 'attachment' : clean
}

function short(value: unknown, otherwise: string): string {
  if (typeof value !== 'string') return otherwise
  return /^[\w.+/;= "-]{1,128}$/.test(value) ? value : otherwise
}
