import { MishapError } from '../errors.ts'
import { hyphenated, normalizeId } from '../protocol/ids.ts'
import {
  dumpFormOf,
  dumpMagicBytes,
  dumpPartName,
  type FormField,
  formBytesMax,
  readForm,
} from '../protocol/minidump.ts'
import { MultipartScan, readBoundary, type ScannedPart } from '../protocol/multipart.ts'
import { answerText, Refusal } from './answer.ts'
import { newEventId, spoolOf, takeOne } from './envelope.ts'
import { dropSpool, fail, headOf, type Intake } from './intake.ts'
import { attachmentsMax, formFieldsMax } from './limits.ts'
import type { Receiver } from './receive.ts'
import { checkScan, keep } from './store.ts'

/** Holds a minidump's request against the rules while it arrives, with the memory of its plain fields. */
class DumpCheck {
  readonly #scan: MultipartScan | undefined
  #first: Buffer = Buffer.alloc(0)
  #dump: ScannedPart | undefined
  #files = 0
  #fields = 0
  /** Names and values of the plain fields; `#field`, which still grows, is not among them. */
  #fieldBytes = 0
  #field: ScannedPart | undefined

  constructor(contentType: string) {
    const boundary = readBoundary(contentType)
    if (boundary !== undefined) this.#scan = new MultipartScan(boundary, (part) => this.#begun(part))
    else if (/^multipart\/form-data\b/i.test(contentType)) throw new MishapError('ACCEPT_ENCODING_UNKNOWN')
  }

  /** Counts a part, whose head came; returns how much of it is wanted: the dump's first bytes, fields of an event. */
  #begun(part: ScannedPart): number {
    this.#sumLast()
    if (part.name === dumpPartName && this.#dump === undefined) {
      this.#dump = part
      return dumpMagicBytes
    }
    // Refine takes the first dump for the dump and each further one for a file, as it is counted here.
    if (part.name === dumpPartName || part.filename !== undefined) {
      if (++this.#files > attachmentsMax) throw tooMany(`more than ${attachmentsMax} files beside the minidump`)
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

  /** Throws the refusal of what came so far. */
  push(piece: Buffer): void {
    const scan = this.#scan
    if (scan === undefined) {
      if (this.#first.length >= dumpMagicBytes) return
      this.#first = Buffer.concat([this.#first, piece.subarray(0, dumpMagicBytes)])
      if (this.#first.length >= dumpMagicBytes) checkMagic(this.#first)
      return
    }
    scan.push(piece)
    checkScan(scan)
    if (this.#fieldBytes + (this.#field?.bytes ?? 0) > formBytesMax) throw fieldsTooLarge()
    const dump = this.#dump
    if (dump && dump.first.length >= dumpMagicBytes) checkMagic(dump.first)
  }

  /** Throws the refusal of the whole; returns the id that the form's event names, or a new one. */
  end(): string {
    const scan = this.#scan
    if (scan === undefined) {
      checkMagic(this.#first)
      return newEventId()
    }
    checkScan(scan, true)
    checkMagic(this.#dump?.first)
    const fields: FormField[] = scan.parts
      .filter((part) => part.filename === undefined && part.name.startsWith('sentry'))
      .map((part) => ({ name: part.name, value: part.first.toString() }))
    return normalizeId(readForm(fields).event['event_id']) ?? newEventId()
  }
}

function checkMagic(first: Buffer | undefined): void {
  if (first === undefined || first.length === 0)
    throw new Refusal('ACCEPT_MINIDUMP', 'bad_item', [`no part ${dumpPartName} with content`])
  if (dumpFormOf(first) === undefined)
    throw new Refusal('ACCEPT_MINIDUMP', 'bad_item', [`${dumpPartName} begins like no minidump`])
}

const fieldsTooLarge = () =>
  new Refusal('ACCEPT_TOO_LARGE', 'too_large', [`the fields of the form are over ${formBytesMax} bytes`])
const tooMany = (what: string) => new Refusal('ACCEPT_TOO_LARGE', 'too_many_items', [what])

/**
 * A crash reporter's upload: a form with the dump in `upload_file_minidump`, fields of an event and files, or the dump
 * alone as the body. The body is kept as it came; refine unpacks and reads the dump.
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
function takeDump(intake: Intake, eventId: string, body: Buffer, spool?: { key: string; bytes: number }): boolean {
  const { key } = intake
  if (key === undefined) throw new MishapError('ACCEPT_KEY_MISSING')
  if (!takeOne(intake, key, 'minidump', spool?.bytes ?? body.length)) return false
  const head = headOf(intake, key, 'minidump')
  head.eventId = eventId
  if (spool) head.spool = spool
  void keep(intake, key, head, body, () => answerText(intake.res, hyphenated(eventId)))
  return true
}
