import { isDeepStrictEqual } from 'node:util'
import type { NormalEvent, NormalFrame, NormalStacktrace } from '../../domain/event.ts'
import type { SignKey } from '../../domain/noise.ts'
import type { EventRow } from '../../store/events/events.ts'
import type { EventEffect } from '../../store/meta/meta.ts'
import { signsAgain } from '../diagnostics/diagnostics.ts'
import { signKeysOf } from '../diagnostics/keys.ts'
import { fingerprint, type GroupingContext, stackRules } from '../fingerprint/fingerprint.ts'
import { withoutStackRules } from '../fingerprint/stack-rules.ts'
import { describe } from '../kinds/error/describe.ts'
import { inApp } from '../kinds/error/inapp.ts'
import { makeEffect, rowOf } from '../kinds/error/row.ts'
import type { MapSource } from '../symbolicate/frames.ts'
import { mapStacks } from '../symbolicate/symbolicate.ts'
import type { Draft } from './draft.ts'
import type { Forms } from './lines.ts'
import { object } from './value.ts'

/** A stored event after mapping it again. `row` is of the next generation; without `changed` it is none that has to be written. */
export type Again = {
  changed: boolean
  row: EventRow
  forms: Forms
  effect: EventEffect
  /** What was counted of its signs before. */
  fromSigns?: SignKey[] | undefined
}

type Stacked = { stacktrace?: NormalStacktrace; raw_stacktrace?: NormalStacktrace }

const holdersOf = (event: NormalEvent): Stacked[] => [
  ...(event.exception?.values ?? []),
  ...(event.threads?.values ?? []),
  event,
]

/** A frame as the step `symbolicate` was given it. */
function bareFrame({ data: _data, in_app_unsaid: unsaid, ...frame }: NormalFrame): NormalFrame {
  // what the SDK left open is decided anew by the mapped path
  return unsaid ? { ...frame, in_app: undefined as unknown as boolean } : frame
}

/** Puts the frames back as they came. */
function bare(holder: Stacked): void {
  const { stacktrace, raw_stacktrace: raw } = holder
  if (!stacktrace) return
  const isMapped = raw !== undefined && stacktrace.frames.some((frame) => frame.data?.symbolicated)
  const frames = (isMapped ? raw : stacktrace).frames
  holder.stacktrace = { ...stacktrace, frames: frames.map(bareFrame) }
  if (isMapped) delete holder.raw_stacktrace
}

const mappedFrames = (event: NormalEvent): NormalFrame[] =>
  holdersOf(event).flatMap(({ stacktrace }) => stacktrace?.frames.filter((frame) => frame.data?.symbolicated) ?? [])

/** The JSON that was received says which culprit the client named, and whether raw stacks are its own. */
function receivedOf(received: string): Draft['received'] {
  if (!received.includes('"culprit"')) return {}
  try {
    return object(JSON.parse(received) as unknown) ?? {}
  } catch {
    return {}
  }
}

/**
 * Maps a stored event again: from its normalized form, whose frames as they came are kept, by the steps that depend on
 * frames. All else stays what it was made of at the time: address, user agent and scrubbing rules of then are not known
 * any more. `maps.missing()` afterwards: it is to be done again once they are loaded. Throws for a payload that is no JSON.
 */
export function mapAgain(row: EventRow, maps: MapSource, nowMs: number, rules: GroupingContext): Again {
  const end = row.payload.indexOf('\n')
  const normal = end < 0 ? row.payload : row.payload.slice(0, end)
  const received = end < 0 ? '' : row.payload.slice(end + 1)
  const event = JSON.parse(normal) as NormalEvent
  const before = mappedFrames(event)
  const kept = (): Again => {
    const forms = { normal, received }
    return { changed: false, row, forms, effect: makeEffect(JSON.parse(normal) as NormalEvent, row, 0) }
  }
  // Stacks of an SDK that mapped them itself can't be told from ours.
  if (received.includes('"raw_stacktrace"')) return kept()
  withoutStackRules(event)
  for (const holder of holdersOf(event)) bare(holder)
  const draft: Draft = { received: receivedOf(received), event, remarks: { path: [], meta: {}, errors: event.errors } }
  mapStacks(event, maps)
  inApp(draft)
  stackRules(draft, rules)
  const after = JSON.parse(JSON.stringify(mappedFrames(event))) as NormalFrame[]
  if (after.length === 0 || isDeepStrictEqual(before, after)) return kept()
  describe(draft)
  const fromSigns = signKeysOf(event.findings.signs)
  signsAgain(event)
  fingerprint(draft, rules)
  event.findings.mapped_again_ms = nowMs
  const forms: Forms = { normal: JSON.stringify(event), received }
  const { projectId, jpos, receivedMs } = row
  const made = { ...rowOf(event, forms, { projectId, jpos, receivedMs }), gen: row.gen + 1 }
  return { changed: true, row: made, forms, effect: makeEffect(event, made, 0), fromSigns }
}
