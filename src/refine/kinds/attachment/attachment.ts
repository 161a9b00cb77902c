import type { AttachmentRow } from '../../../store/meta/meta.ts'
import type { EnvelopeItem } from '../../../wire/envelope.ts'
import { dumpAttachmentType } from '../../../wire/minidump.ts'
import type { MultipartPart } from '../../../wire/multipart.ts'

/** `chunks`: if set, this stream of `row.bytes` bytes is stored instead of `bytes`. */
export type Attachment = { row: AttachmentRow; bytes: Uint8Array; chunks?: () => AsyncIterable<Uint8Array> }

/** The place of an attachment: its ids, its record, and its index there. Times in ms. */
export type AttachmentLocation = { projectId: number; eventId: string; jpos: number; index: number; receivedMs: number }

/** The attachment of an envelope item. Its key has only numbers and the id, so refining again gives the same key. */
export function attachmentOfItem(item: EnvelopeItem, location: AttachmentLocation): Attachment {
  const { headers } = item
  return make(
    location,
    item.payload,
    fileName(headers['filename']),
    short(headers['attachment_type'], 'event.attachment'),
    short(headers['content_type'], ''),
  )
}

/** The attachment of a form part. */
export function attachmentOfPart(part: MultipartPart, location: AttachmentLocation): Attachment {
  return make(
    location,
    part.bytes,
    fileName(part.filename ?? part.name),
    'event.attachment',
    short(part.contentType, ''),
  )
}

/** The attachment of a minidump. A compressed dump is stored as the content of `unpacked`. */
export function attachmentOfDump(
  bytes: Uint8Array,
  name: string,
  location: AttachmentLocation,
  unpacked?: { bytes: number; chunks(): AsyncIterable<Uint8Array> },
): Attachment {
  const attachment = make(location, bytes, name, dumpAttachmentType, 'application/x-dmp')
  if (unpacked === undefined) return attachment
  return { row: { ...attachment.row, bytes: unpacked.bytes }, bytes, chunks: () => unpacked.chunks() }
}

function make(
  location: AttachmentLocation,
  bytes: Uint8Array,
  name: string,
  type: string,
  contentType: string,
): Attachment {
  const { projectId, eventId, jpos, index, receivedMs } = location
  const blobKey = `attachments/${projectId}/${eventId}/${jpos}-${index}`
  return { row: { projectId, eventId, name, type, contentType, bytes: bytes.byteLength, blobKey, receivedMs }, bytes }
}

/** A name for display and download only: the last path segment, without control characters. */
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
