import { drainFormatOf, drainLinesMax } from '../../../wire/drains.ts'
import { type Loose, own, parsePayload, scalar } from '../../pipeline/value.ts'
import { bodyKind } from '../kind.ts'
import { countOfBody, type LineBody, type LineUnit, refineLines } from '../log/bodies.ts'
import { filterDraft } from '../log/items.ts'
import type { DrainLine } from '../log/line.ts'
import { attributeBytesMax } from '../span/parts.ts'
import { framesOf, herokuLine } from './heroku.ts'
import { vercelLine } from './vercel.ts'

/** The page or address that a line is about, for the filter of localhost. */
function urlOf(sent: Loose): Loose {
  const host = scalar(own(sent, 'server.address'))
  return host ? { 'url.full': `http://${host}/` } : {}
}

/** Lines of a drain come from the servers of a whole application: each has a visitor of its own, so each is judged. */
const unitOf = (all: readonly DrainLine[]): LineUnit[] =>
  all.length === 0
    ? []
    : [
        {
          lines: all.map(({ line }) => line),
          judged: 'each',
          draftOf: (context, at) => {
            const sent = all[at]?.sent ?? {}
            return filterDraft({ ...urlOf(sent), ...sent }, undefined, undefined, context)
          },
        },
      ]

/**
 * The values of a body: entries of a JSON list, or of text lines. `broken`: text lines that are no JSON. `excess`: what is
 * over the limit of a body. Such lines are counted, not parsed: ten million broken ones took a minute.
 */
function valuesOf(bytes: Buffer, isList: boolean): { values: unknown[]; broken: number; excess: number } {
  if (isList) {
    const parsed = parsePayload(bytes)
    if ('broken' in parsed) return { values: [], broken: 1, excess: 0 }
    const all: unknown[] = Array.isArray(parsed.value) ? parsed.value : [parsed.value]
    return { values: all.slice(0, drainLinesMax), broken: 0, excess: Math.max(0, all.length - drainLinesMax) }
  }
  const values: unknown[] = []
  let [broken, excess] = [0, 0]
  for (let at = 0; at < bytes.length; ) {
    const found = bytes.indexOf(10, at)
    const end = found < 0 ? bytes.length : found
    const line = bytes.subarray(at, end)
    at = end + 1
    if (line.length === 0 || line.every((byte) => byte === 32 || byte === 13 || byte === 9)) continue
    if (values.length + broken >= drainLinesMax) {
      excess++
      continue
    }
    const parsed = parsePayload(line)
    if ('broken' in parsed) broken++
    else values.push(parsed.value)
  }
  return { values, broken, excess }
}

/** Vercel's log drain: a JSON list, or a JSON object on each line. */
export const vercelBody = bodyKind<LineBody>({
  record: 'vercel_logs',
  read: ({ head }, bytes) => {
    const { values, broken, excess } = valuesOf(bytes, drainFormatOf('vercel', head.contentType) !== 'ndjson')
    const budget = { bytes: attributeBytesMax + bytes.length }
    const lines = values.flatMap((value) => vercelLine(value, budget) ?? [])
    const unread = values.length - lines.length
    return {
      itemType: 'vercel_logs',
      units: unitOf(lines),
      body: bytes,
      sent: undefined,
      invalid: [
        ['bad_json', broken],
        ['bad_item', unread + (values.length + broken === 0 ? 1 : 0)],
        ['too_many_items', excess],
      ],
    }
  },
  countsAs: countOfBody,
  refine: refineLines,
})

/** Heroku's log drain (Logplex): frames of syslog with a count of their bytes. */
export const herokuBody = bodyKind<LineBody>({
  record: 'heroku_logs',
  read: (_work, bytes) => {
    const { frames, excess, isBroken } = framesOf(bytes, drainLinesMax)
    const budget = { bytes: attributeBytesMax + bytes.length * 2 }
    return {
      itemType: 'heroku_logs',
      units: unitOf(frames.map((frame) => herokuLine(frame, budget))),
      body: bytes,
      sent: undefined,
      invalid: [
        ['bad_item', isBroken || frames.length === 0 ? 1 : 0],
        ['too_many_items', excess],
      ],
    }
  },
  countsAs: countOfBody,
  refine: refineLines,
})
