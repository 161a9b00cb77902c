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
import { checkScan, keep } from './append.ts'
import { newEventId, spoolOf, takeOne } from './envelope.ts'
import { formFieldsMax } from './limits.ts'
import type { Receiver } from './receive.ts'
import { dropSpool, fail, headOf, type IngestRequest } from './request.ts'

/** Holds a minidump's request against the rules while it arrives, with the memory of its plain fields. */
class DumpCheck {
  readonly #scan: MultipartScan | undefined
  /** First bytes of the dump: of its part, or of the body. */
  #first: Buffer = Buffer.alloc(0)
  /** Reads a form that stands where the dump is expected, and is read to its end behind it. */
  #nested: MultipartScan | undefined
  #dump: ScannedPart | undefined
  #nestedDump: ScannedPart | undefined
  #files = 0
  #fields = 0
  /** Names and values of the plain fields; `#field`, which still grows, is not among them. */
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

  /** Counts a part, whose head came; returns how much of it is wanted: the dump's first bytes, fields of an event. */
  #begun(part: ScannedPart, isNested: boolean): number {
    this.#sumLast()
    if (part.name === dumpPartName && (isNested ? this.#nestedDump : this.#dump) === undefined) {
      if (isNested) this.#nestedDump = part
      else this.#dump = part
      return dumpMagicBytes
    }
    // Refine takes the first dump for the dump and each further one for a file, as it is counted here.
    if (part.name === dumpPartName || part.filename !== undefined) {
      if (++this.#files > attachmentsMax) throw tooMany(`more than ${attachmentsMax} files besides the minidump`)
      return 0
    }
    if (++this.#fields > formFieldsMax) throw tooMany(`more than ${formFieldsMax} fields`)
    this.#field = part
    this.#fieldBytes += part.name.length
    return part.name.startsWith('sentry') ? formBytesMax + 1 : 0
  }

  /** The field that came last grows no more. */
  #sumLast(): void {
    if (this.#field) this.#fieldBytes += this.#field.bytes
    this.#field = undefined
    if (this.#fieldBytes > formBytesMax) throw fieldsTooLarge()
  }

  /** Takes bytes of the dump. A form in its place is recognized by its first line and read from there on. */
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

  /** Throws where what came of the dump can be none. `end`: no more of it comes. */
  #checkDump(end: boolean): void {
    if (this.#nested) checkScan(this.#nested, end)
    const first = this.#nested ? this.#nestedDump?.first : this.#first
    // one that begins as a form is none of either kind only when its first line does not end
    const least = !this.#nested && beginsAsForm(this.#first) ? nestedLineBytesMax : dumpMagicBytes
    if (end || (first && first.length >= least)) checkMagic(first)
  }

  /** Throws the refusal of what came so far. */
  push(piece: Buffer): void {
    if (this.#scan === undefined) this.#pushDump(piece)
    else {
      this.#scan.push(piece)
      checkScan(this.#scan)
    }
    if (this.#fieldBytes + (this.#field?.bytes ?? 0) > formBytesMax) throw fieldsTooLarge()
    this.#checkDump(false)
  }

  /** Throws the refusal of the whole form; returns the id that the form's event names, or a new id. */
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
 * A crash reporter's upload: a form with the dump in `upload_file_minidump`, fields of an event and files, or the dump
 * alone as the body. The dump may be a form itself, as Electron on Linux has it. The body is kept as it came; refine unpacks
 * and reads the dump.
 */
export const minidumpReceiver: Receiver = {
  small: (intake, body) => {
    try {
      const check = new DumpCheck(intake.contentType)
      check.push(body)
      takeDump(intake, check.end(), body)
    } catch (error) {
      fail(intake, error)
    }
  },
  large: async (intake, pieces) => {
    try {
      const check = new DumpCheck(intake.contentType)
      let eventId = ''
      async function* watched() {
        for await (const piece of pieces) {
          check.push(piece)
          yield piece
        }
        eventId = check.end()
      }
      const spool = await spoolOf(intake, watched())
      if (!takeDump(intake, eventId, Buffer.alloc(0), spool)) await dropSpool(intake, spool.key)
    } catch (error) {
      fail(intake, error)
    }
  },
}

/** Rates, then the journal, then the id as crash reporters want it; false when a limit took it. */
function takeDump(
  intake: IngestRequest,
  eventId: string,
  body: Buffer,
  spool?: { key: string; bytes: number },
): boolean {
  const { key } = intake
  if (key === undefined) throw new MishapError('ACCEPT_KEY_MISSING')
  if (!takeOne(intake, key, 'minidump', spool?.bytes ?? body.length)) return false
  const head = headOf(intake, key, 'minidump')
  head.eventId = eventId
  if (spool) head.spool = spool
  void keep(intake, key, head, body, () => answerText(intake.res, hyphenated(eventId)))
  return true
}
