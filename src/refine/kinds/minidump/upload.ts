import type { RecordHead } from '../../../journal/journal.ts'
import { type EnvelopeItem, parseEnvelope } from '../../../wire/envelope.ts'
import { dumpAttachmentType, dumpFormOf, dumpPartName, type FormField, nestedBoundary } from '../../../wire/minidump.ts'
import { type MultipartPart, parseMultipart, parseParts } from '../../../wire/multipart.ts'
import { fileName } from '../attachment/attachment.ts'
import { type Dump, readDump } from './dump.ts'
import { type Unpacked, unpack } from './unpack.ts'

/** The form of a crash reporter, or the dump alone. `index` is the part's place in the body. */
export type Upload = {
  dump: { index: number; name: string; bytes: Buffer }
  files: { index: number; part: MultipartPart }[]
  fields: FormField[]
}

/**
 * Splits the body of a minidump request; undefined without a dump. If the dump is itself a form, takes the dump in it
 * and places its other parts before those of the body. Never throws.
 */
export function readUpload(body: Buffer, contentType: string): Upload | undefined {
  if (!/^multipart\/form-data\b/i.test(contentType)) return dumpFormOf(body) ? lone(body) : uploadOf(nestedParts(body))
  const { value = [] } = parseMultipart(body, contentType)
  const index = value.findIndex((part) => part.name === dumpPartName)
  const inner = nestedParts(value[index]?.bytes)
  return inner === undefined ? uploadOf(value) : uploadOf([...inner, ...value.toSpliced(index, 1)])
}

const lone = (bytes: Buffer): Upload => ({ dump: { index: 0, name: '', bytes }, files: [], fields: [] })

/** The parts of a form in the place of a dump; undefined if there is no form. */
function nestedParts(bytes: Buffer | undefined): MultipartPart[] | undefined {
  const boundary = bytes && nestedBoundary(bytes)
  return bytes && boundary !== undefined ? parseParts(bytes, boundary).value : undefined
}

function uploadOf(parts: readonly MultipartPart[] = []): Upload | undefined {
  const index = parts.findIndex((part) => part.name === dumpPartName)
  const found = parts[index]
  if (found === undefined || dumpFormOf(found.bytes) === undefined) return undefined
  const others = parts.map((part, at) => ({ index: at, part })).filter((entry) => entry.index !== index)
  return {
    dump: { index, name: found.filename ?? '', bytes: found.bytes },
    files: others.filter(({ part }) => part.filename !== undefined),
    fields: others
      .filter(({ part }) => part.filename === undefined)
      .map(({ part }) => ({ name: part.name, value: part.bytes.toString() })),
  }
}

/** The minidump of an envelope item and the text fields of a form around it; undefined if it has none. */
export function dumpOfItem(item: EnvelopeItem): { bytes: Buffer; fields: FormField[] } | undefined {
  if (item.type !== 'attachment' || item.headers['attachment_type'] !== dumpAttachmentType) return undefined
  if (dumpFormOf(item.payload) !== undefined) return { bytes: item.payload, fields: [] }
  const upload = uploadOf(nestedParts(item.payload))
  return upload && { bytes: upload.dump.bytes, fields: upload.fields }
}

/** The decompressed dumps of a record, by the index of their part or item. */
export type OpenDumps = ReadonlyMap<number, Unpacked>

/** Skips parsing of envelopes that name no minidump, which are nearly all. */
const marker = Buffer.from(`"${dumpAttachmentType}"`)

/** Decompresses the compressed dumps of a record. Plain dumps are not included. Never throws because of the data. */
export async function openDumps(head: RecordHead, body: Buffer): Promise<OpenDumps> {
  const packed: [number, Buffer][] = []
  if (head.kind === 'minidump') {
    const upload = readUpload(body, head.contentType)
    if (upload) packed.push([upload.dump.index, upload.dump.bytes])
  } else if (head.kind === 'envelope' && body.includes(marker)) {
    const items = parseEnvelope(body).value?.items ?? []
    for (const [index, item] of items.entries()) {
      const dump = head.skip?.includes(index) ? undefined : dumpOfItem(item)
      if (dump) packed.push([index, dump.bytes])
    }
  }
  const opened = new Map<number, Unpacked>()
  for (const [index, bytes] of packed) {
    const form = dumpFormOf(bytes)
    if (form && form !== 'plain') opened.set(index, await unpack(form, bytes))
  }
  return opened
}

/** Parses a dump. If that fails, `dump` is undefined and `why` has the reason. */
export function readOpened(bytes: Buffer, opened: Unpacked | undefined): { dump: Dump | undefined; why: string } {
  if (opened === undefined) {
    const plain = dumpFormOf(bytes) === 'plain'
    return { dump: plain ? readDump(bytes) : undefined, why: plain ? 'it ends early' : 'it was not unpacked' }
  }
  if (opened.end === 'ok') return { dump: readDump(opened.head), why: 'what was unpacked is no minidump' }
  return { dump: undefined, why: opened.end === 'broken' ? 'it could not be unpacked' : 'it unpacks beyond its limit' }
}

/** The dump's name for display and download. It is stored decompressed, so the suffix of the compression is removed. */
export function dumpName(sent: unknown): string {
  const name = fileName(sent === '' || sent === dumpPartName ? undefined : sent).replace(/\.(?:gz|zst|xz|bz2)$/i, '')
  return name === '' || name === 'attachment' ? 'minidump.dmp' : name
}
