// Recorded span v2 envelopes of version 11 of the JavaScript SDKs as load: each send has ids and times of its own.
import { randomFillSync } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../e2e/product.ts'

/** A recorded envelope. `bytes` is what a send copies; its times are moved to the present once a second. */
type Recorded = { text: string; spans: number; bytes: Buffer; ids: { at: number[]; length: number }[]; movedS: number }

/** All times of a recording are within a day. Older ones are dates of other things. */
const dayS = 86_400

const places = (text: string, part: string): number[] => {
  const found: number[] = []
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + 1)) found.push(at)
  return found
}

/** Ids of traces and spans, with all their places. Other texts of 16 or 32 hex digits stay. */
function idsIn(text: string): { at: number[]; length: number }[] {
  const named = [...text.matchAll(/"(?:trace_id|span_id|parent_span_id)":"([0-9a-f]{16,32})"/g)].map(
    ([, id]) => id ?? '',
  )
  return [...new Set(named)].map((id) => ({ at: places(text, id), length: id.length }))
}

/** All envelopes of spans that version 11 sent. */
function recordedSpans(): Recorded[] {
  const folder = join(root, 'fixtures/envelopes')
  return readdirSync(folder)
    .filter((name) => /-11\.\d+\.\d+-.*-span\.envelope$/.test(name))
    .map((name) => {
      const text = readFileSync(join(folder, name), 'latin1')
      const spans = places(text, '"start_timestamp"').length
      return { text, spans, bytes: Buffer.from(text, 'latin1'), ids: idsIn(text), movedS: 0 }
    })
}

/** Moves the seconds of all times near the recording, which have ten digits, so that the last one is `nowS`. */
function moveTimes(recorded: Recorded, nowS: number): void {
  const { text } = recorded
  const seconds = [...text.matchAll(/(?<![\w.])1[67]\d{8}(?=[.,}\]])/g)].map((match) => ({
    at: match.index,
    value: Number(match[0]),
  }))
  const last = Math.max(...seconds.map(({ value }) => value))
  for (const { at, value } of seconds)
    if (last - value < dayS) recorded.bytes.write(String(value + nowS - last), at, 'latin1')
  // Times are corrected by the sender's clock, which is right here.
  const sent = /"sent_at":"/.exec(text)
  if (sent) recorded.bytes.write(new Date(nowS * 1000).toISOString(), sent.index + sent[0].length, 'latin1')
  recorded.movedS = nowS
}

export type SpanLoad = {
  bodies: Buffer[]
  /** Mean of spans in a body. */
  spansEach: number
  /** Returns the next body, a copy with new ids and present times. */
  next(index: number): { body: Buffer; spans: number }
}

/** Creates the load. */
export function createSpanLoad(): SpanLoad {
  const all = recordedSpans()
  const random = Buffer.alloc(16)
  return {
    bodies: all.map(({ bytes }) => bytes),
    spansEach: all.reduce((sum, { spans }) => sum + spans, 0) / all.length,
    next: (index) => {
      const recorded = all[index % all.length]
      if (!recorded) throw new Error('no recorded spans')
      const nowS = Math.floor(Date.now() / 1000)
      if (recorded.movedS !== nowS) moveTimes(recorded, nowS)
      const body = Buffer.from(recorded.bytes)
      for (const { at, length } of recorded.ids) {
        const id = randomFillSync(random).toString('hex', 0, length / 2)
        for (const place of at) body.write(id, place, 'latin1')
      }
      return { body, spans: recorded.spans }
    },
  }
}
