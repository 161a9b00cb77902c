import type { RecordHead } from '../../journal/journal.ts'
import { type EnvelopeItem, parseEnvelope } from '../../protocol/envelope.ts'
import { dumpAttachmentType, dumpFormOf, dumpPartName, type FormField } from '../../protocol/minidump.ts'
import { type MultipartPart, parseMultipart } from '../../protocol/multipart.ts'
import { fileName } from '../attachment/attachment.ts'
import { type Dump, readDump } from './dump.ts'
import { type Unpacked, unpack } from './unpack.ts'

/** A crash reporter's form, or the dump alone; `index` is a part's place in the body. */
export type Upload = {
  dump: { index: number; name: string; bytes: Buffer }
  files: { index: number; part: MultipartPart }[]
  fields: FormField[]
}

/** Takes a minidump request's body apart; undefined when it holds no dump. Never throws. */
export function readUpload(body: Buffer, contentType: string): Upload | undefined {
  if (!/^multipart\/form-data\b/i.test(contentType))
    return dumpFormOf(body) && { dump: { index: 0, name: '', bytes: body }, files: [], fields: [] }
  const { value = [] } = parseMultipart(body, contentType)
  const index = value.findIndex((part) => part.name === dumpPartName)
  const found = value[index]
  if (found === undefined || dumpFormOf(found.bytes) === undefined) return undefined
  const others = value.map((part, at) => ({ index: at, part })).filter((one) => one.index !== index)
  return {
    dump: { index, name: found.filename ?? '', bytes: found.bytes },
    files: others.filter(({ part }) => part.filename !== undefined),
    fields: others
      .filter(({ part }) => part.filename === undefined)
      .map(({ part }) => ({ name: part.name, value: part.bytes.toString() })),
  }
}

/** Whether an envelope's item is a minidump that can be read. */
export function isDumpItem(item: EnvelopeItem): boolean {
  return (
    item.type === 'attachment' &&
    item.headers['attachment_type'] === dumpAttachmentType &&
    dumpFormOf(item.payload) !== undefined
  )
}

/** Compressed dumps of a record, unpacked, by the place of their part or item. */
export type OpenDumps = ReadonlyMap<number, Unpacked>

/** Envelopes that name no minidump are not parsed for one: nearly all. */
const marker = Buffer.from(`"${dumpAttachmentType}"`)

/** Unpacks what a record has of compressed dumps; a plain one needs nothing. Never throws for what was sent. */
export async function openDumps(head: RecordHead, body: Buffer): Promise<OpenDumps> {
  const packed: [number, Buffer][] = []
  if (head.kind === 'minidump') {
    const upload = readUpload(body, head.contentType)
    if (upload) packed.push([upload.dump.index, upload.dump.bytes])
  } else if (head.kind === 'envelope' && body.includes(marker)) {
    const items = parseEnvelope(body).value?.items ?? []
    for (const [index, item] of items.entries())
      if (isDumpItem(item) && !head.skip?.includes(index)) packed.push([index, item.payload])
  }
  const opened = new Map<number, Unpacked>()
  for (const [index, bytes] of packed) {
    const form = dumpFormOf(bytes)
    if (form && form !== 'plain') opened.set(index, await unpack(form, bytes))
  }
  return opened
}

/** A dump as far as it can be read, or why it cannot. */
export function readOpened(bytes: Buffer, opened: Unpacked | undefined): { dump: Dump | undefined; why: string } {
  if (opened === undefined) {
    const plain = dumpFormOf(bytes) === 'plain'
    return { dump: plain ? readDump(bytes) : undefined, why: plain ? 'it ends early' : 'it was not unpacked' }
  }
  if (opened.end === 'ok') return { dump: readDump(opened.head), why: 'what was unpacked is no minidump' }
  return { dump: undefined, why: opened.end === 'broken' ? 'it could not be unpacked' : 'it unpacks beyond its limit' }
}

/** The dump's name for show and download: it is kept unpacked, so the ending of the packing goes. */
export function dumpName(sent: unknown): string {
  const name = fileName(sent === '' || sent === dumpPartName ? undefined : sent).replace(/\.(?:gz|zst|xz|bz2)$/i, '')
  return name === '' || name === 'attachment' ? 'minidump.dmp' : name
}
