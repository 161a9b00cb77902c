import { MishapError } from '../base/errors.ts'
import { MultipartScan, readBoundary, type ScannedPart } from '../wire/multipart.ts'

/** A part of an arriving form. Unread `content` is skipped. */
export type FormPart = { name: string; filename: string | undefined; content: AsyncIterable<Buffer> }

type PartChunk = { part: ScannedPart; bytes: Buffer }

const wrong = (detail: string) => new MishapError('VALIDATION', { detail })

async function* partChunks(request: Request, bytesMax: number, partsMax: number): AsyncGenerator<PartChunk> {
  const boundary = readBoundary(request.headers.get('content-type') ?? '')
  if (boundary === undefined) throw wrong('Send a form as multipart/form-data with a boundary.')
  const waiting: PartChunk[] = []
  const scan = new MultipartScan(
    boundary,
    () => 0,
    (part, bytes) => waiting.push({ part, bytes }),
  )
  let bytes = 0
  for await (const chunk of request.body ?? []) {
    bytes += chunk.length
    if (bytes > bytesMax) throw new MishapError('ACCEPT_TOO_LARGE', { detail: `The body is over ${bytesMax} bytes.` })
    scan.push(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length))
    if (scan.broken !== undefined) throw wrong(`The form is malformed: ${scan.broken}.`)
    if (scan.parts.length > partsMax) throw wrong(`The form has more than ${partsMax} parts.`)
    yield* waiting.splice(0)
  }
  if (!scan.closed) throw wrong('The form ends early: its last boundary is missing.')
}

/**
 * Reads a form part by part with the memory of one piece. The content of a part ends only at the next boundary, so a
 * truncated body fails in its last part. Throws VALIDATION for a missing or broken form, and ACCEPT_TOO_LARGE.
 */
export async function* formParts(request: Request, bytesMax: number, partsMax: number): AsyncGenerator<FormPart> {
  const chunks = partChunks(request, bytesMax, partsMax)
  let pending = await chunks.next()
  while (!pending.done) {
    const { part } = pending.value
    async function* content() {
      while (!pending.done && pending.value.part === part) {
        const { bytes } = pending.value
        pending = await chunks.next()
        if (bytes.length > 0) yield bytes
      }
    }
    yield { name: part.name, filename: part.filename, content: content() }
    while (!pending.done && pending.value.part === part) pending = await chunks.next()
  }
}

/** Returns a short field as text. Throws VALIDATION if it is longer than `bytesMax`. */
export async function textOfPart(part: FormPart, bytesMax = 8192): Promise<string> {
  const buffers: Buffer[] = []
  let bytes = 0
  for await (const chunk of part.content) {
    bytes += chunk.length
    if (bytes > bytesMax) throw wrong(`The field ${part.name.slice(0, 60)} is over ${bytesMax} bytes.`)
    buffers.push(chunk)
  }
  return Buffer.concat(buffers).toString('utf8')
}
