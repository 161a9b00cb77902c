import { MishapError } from '../base/errors.ts'
import { hyphenated, normalizeId } from '../wire/ids.ts'
import { attachmentsMax } from '../wire/item-types.ts'
import {
  beginsAsForm,
  dumpFormOf,
  dumpMagicBytes,
  dumpPartName,
  type FormField,
  formBytesMax,
  nestedBoundary,
  nestedLineBytesMax,
  readForm,
} from '../wire/minidump.ts'
import { MultipartScan, readBoundary, type ScannedPart } from '../wire/multipart.ts'
import { answerText, Refusal } from './answer.ts'
import { appendRecord, checkScan } from './append.ts'
import { newEventId, spoolOf, takeRate } from './envelope.ts'
import { formFieldsMax } from './limits.ts'
import type { Receiver } from './receive.ts'
import { dropSpool, fail, headOf, type IngestRequest } from './request.ts'

/** Checks a minidump upload against the rules while it arrives. Keeps its plain fields in memory. */
class DumpCheck {
  readonly #scan: MultipartScan | undefined
  /** First bytes of the dump part, or of the body. */
  #first: Buffer = Buffer.alloc(0)
  /** Scans a nested form in place of the dump, up to the end of that form. */
  #nested: MultipartScan | undefined
  #dump: ScannedPart | undefined
  #nestedDump: ScannedPart | undefined
  #files = 0
  #fields = 0
  /** Bytes of names and values of plain fields, without `#field`, which can still grow. */
  #fieldBytes = 0
  #field: ScannedPart | undefined

  constructor(contentType: string) {
    const boundary = readBoundary(contentType)
    if (boundary !== undefined)
      this.#scan = new MultipartScan(
        boundary,
        (part) => this.#begun(part, false),
        (part, bytes) => {
          if (part === this.#dump) this.#pushDump(bytes)
        },
      )
    else if (/^multipart\/form-data\b/i.test(contentType)) throw new MishapError('ACCEPT_ENCODING_UNKNOWN')
  }

  /** Counts a part by its head. Returns how many bytes to keep: the magic of the dump, or a field of the event. */
  #begun(part: ScannedPart, isNested: boolean): number {
    this.#sumLast()
    if (part.name === dumpPartName && (isNested ? this.#nestedDump : this.#dump) === undefined) {
      if (isNested) this.#nestedDump = part
      else this.#dump = part
      return dumpMagicBytes
    }
    // Refine reads the first dump as the dump and each further one as a file. Count them the same way here.
    if (part.name === dumpPartName || part.filename !== undefined) {
      if (++this.#files > attachmentsMax) throw tooMany(`more than ${attachmentsMax} files besides the minidump`)
      return 0
    }
    if (++this.#fields > formFieldsMax) throw tooMany(`more than ${formFieldsMax} fields`)
    this.#field = part
    this.#fieldBytes += part.name.length
    return part.name.startsWith('sentry') ? formBytesMax + 1 : 0
  }

  /** Adds the last field, which is complete now. */
  #sumLast(): void {
    if (this.#field) this.#fieldBytes += this.#field.bytes
    this.#field = undefined
    if (this.#fieldBytes > formBytesMax) throw fieldsTooLarge()
  }

  /** Adds bytes of the dump. Recognizes a nested form by its first line and scans the form from there. */
  #pushDump(bytes: Buffer): void {
    if (this.#nested) {
      this.#nested.push(bytes)
      return
    }
    if (this.#first.length >= nestedLineBytesMax) return
    const before = this.#first.length
    this.#first = Buffer.concat([this.#first, bytes.subarray(0, nestedLineBytesMax - before)])
    const boundary = nestedBoundary(this.#first)
    if (boundary === undefined) return
    this.#nested = new MultipartScan(boundary, (part) => this.#begun(part, true))
    this.#nested.push(this.#first)
    this.#nested.push(bytes.subarray(this.#first.length - before))
  }

  /** Throws if the received bytes cannot be a dump. `end` means that the dump is complete. */
  #checkDump(isLast: boolean): void {
    if (this.#nested) checkScan(this.#nested, isLast)
    const first = this.#nested ? this.#nestedDump?.first : this.#first
    // A body that begins like a form can only be refused here if its first line is too long.
    const least = !this.#nested && beginsAsForm(this.#first) ? nestedLineBytesMax : dumpMagicBytes
    if (isLast || (first && first.length >= least)) checkMagic(first)
  }

  /** Adds a piece of the body. Throws a refusal as soon as a rule is violated. */
  push(chunk: Buffer): void {
    if (this.#scan === undefined) this.#pushDump(chunk)
    else {
      this.#scan.push(chunk)
      checkScan(this.#scan)
    }
    if (this.#fieldBytes + (this.#field?.bytes ?? 0) > formBytesMax) throw fieldsTooLarge()
    this.#checkDump(false)
  }

  /** Checks the whole form and throws a refusal. Returns the event id in the form, or a new id. */
  end(): string {
    if (this.#scan) checkScan(this.#scan, true)
    this.#checkDump(true)
    const fields: FormField[] = [...(this.#nested?.parts ?? []), ...(this.#scan?.parts ?? [])]
      .filter((part) => part.filename === undefined && part.name.startsWith('sentry'))
      .map((part) => ({ name: part.name, value: part.first.toString() }))
    return normalizeId(readForm(fields).event['event_id']) ?? newEventId()
  }
}

function checkMagic(first: Buffer | undefined): void {
  if (first === undefined || first.length === 0)
    throw new Refusal('ACCEPT_MINIDUMP', 'bad_item', [`no part ${dumpPartName} with content`])
  if (dumpFormOf(first) === undefined)
    throw new Refusal('ACCEPT_MINIDUMP', 'bad_item', [`${dumpPartName} does not start like a minidump`])
}

const fieldsTooLarge = () =>
  new Refusal('ACCEPT_TOO_LARGE', 'too_large', [`the fields of the form are over ${formBytesMax} bytes`])
const tooMany = (what: string) => new Refusal('ACCEPT_TOO_LARGE', 'too_many_items', [what])

/**
 * A crash reporter upload: a form with the dump in `upload_file_minidump`, event fields and files, or the dump alone as
 * the body. The dump can itself be a form, as sent by Electron on Linux. The journal stores the inflated body; refine
 * unpacks it and reads the dump.
 */
export const minidumpReceiver: Receiver = {
  small: (request, body) => {
    try {
      const check = new DumpCheck(request.contentType)
      check.push(body)
      takeDump(request, check.end(), body)
    } catch (error) {
      fail(request, error)
    }
  },
  large: async (request, chunks) => {
    try {
      const check = new DumpCheck(request.contentType)
      let eventId = ''
      async function* watched() {
        for await (const chunk of chunks) {
          check.push(chunk)
          yield chunk
        }
        eventId = check.end()
      }
      const spool = await spoolOf(request, watched())
      if (!takeDump(request, eventId, Buffer.alloc(0), spool)) await dropSpool(request, spool.key)
    } catch (error) {
      fail(request, error)
    }
  },
}

/** Applies the rate limits, appends to the journal, answers the id. Returns false if a limit refused the dump. */
function takeDump(
  request: IngestRequest,
  eventId: string,
  body: Buffer,
  spool?: { key: string; bytes: number },
): boolean {
  const { key } = request
  if (key === undefined) throw new MishapError('ACCEPT_KEY_MISSING')
  if (!takeRate(request, key, 'minidump', spool?.bytes ?? body.length)) return false
  const head = headOf(request, key, 'minidump')
  head.eventId = eventId
  if (spool) head.spool = spool
  void appendRecord(request, key, head, body, () => answerText(request.res, hyphenated(eventId)))
  return true
}
