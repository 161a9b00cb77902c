import { isDeepStrictEqual } from 'node:util'
import type { NormalEvent, NormalFrame, NormalStacktrace } from '../../domain/event.ts'
import type { SignKey } from '../../domain/noise.ts'
import type { EventRow } from '../../store/events/events.ts'
import type { EventEffect } from '../../store/meta/meta.ts'
import { refreshDiagnostics } from '../diagnostics/diagnostics.ts'
import { diagnosticKeysOf } from '../diagnostics/keys.ts'
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

/** A reprocessed event. `row` is the next generation if `changed`; otherwise it need not be written. */
export type Reprocessed = {
  changed: boolean
  row: EventRow
  forms: Forms
  effect: EventEffect
  /** The diagnostics that were counted before. */
  fromDiagnostics?: SignKey[] | undefined
}

type Stacked = { stacktrace?: NormalStacktrace; raw_stacktrace?: NormalStacktrace }

const holdersOf = (event: NormalEvent): Stacked[] => [
  ...(event.exception?.values ?? []),
  ...(event.threads?.values ?? []),
  event,
]

/** A frame as the step `symbolicate` received it. */
function bareFrame({ data: _data, in_app_unsaid: isInAppUnknown, ...frame }: NormalFrame): NormalFrame {
  // If the SDK left in_app open, the mapped path decides it again.
  return isInAppUnknown ? { ...frame, in_app: undefined as unknown as boolean } : frame
}

/** Restores the frames as they arrived. */
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

/** The received JSON shows the client's culprit, and whether the raw stacks came from the SDK. */
function receivedOf(received: string): Draft['received'] {
  if (!received.includes('"culprit"')) return {}
  try {
    return object(JSON.parse(received) as unknown) ?? {}
  } catch {
    return {}
  }
}

/**
 * Reprocesses a stored event. It restores the frames of the normalized form and repeats the steps that depend on
 * frames. Everything else stays: the address, user agent and scrubbing rules of that time are unknown now. If
 * `maps.missing()` is true afterwards, load the maps and call it again. Throws for a payload that is not JSON.
 */
export function reprocessEvent(row: EventRow, maps: MapSource, nowMs: number, rules: GroupingContext): Reprocessed {
  const end = row.payload.indexOf('\n')
  const normal = end < 0 ? row.payload : row.payload.slice(0, end)
  const received = end < 0 ? '' : row.payload.slice(end + 1)
  const event = JSON.parse(normal) as NormalEvent
  const before = mappedFrames(event)
  const unchanged = (): Reprocessed => {
    const forms = { normal, received }
    return { changed: false, row, forms, effect: makeEffect(JSON.parse(normal) as NormalEvent, row, 0) }
  }
  // If the SDK mapped its stacks itself, they look the same as ours.
  if (received.includes('"raw_stacktrace"')) return unchanged()
  withoutStackRules(event)
  for (const holder of holdersOf(event)) bare(holder)
  const draft: Draft = {
    received: receivedOf(received),
    event,
    metaNotes: { path: [], meta: {}, errors: event.errors },
  }
  mapStacks(event, maps)
  inApp(draft)
  stackRules(draft, rules)
  const after = JSON.parse(JSON.stringify(mappedFrames(event))) as NormalFrame[]
  if (after.length === 0 || isDeepStrictEqual(before, after)) return unchanged()
  describe(draft)
  const fromDiagnostics = diagnosticKeysOf(event.findings.signs)
  refreshDiagnostics(event)
  fingerprint(draft, rules)
  event.findings.mapped_again_ms = nowMs
  const forms: Forms = { normal: JSON.stringify(event), received }
  const { projectId, jpos, receivedMs } = row
  const remapped = { ...rowOf(event, forms, { projectId, jpos, receivedMs }), gen: row.gen + 1 }
  return { changed: true, row: remapped, forms, effect: makeEffect(event, remapped, 0), fromDiagnostics }
}
