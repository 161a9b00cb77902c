import type { NormalFrame } from '../protocol/event.ts'
import { type OwnedEvent, ownedNamesMax } from '../protocol/ownership.ts'
import type { SeenEvent } from '../store/events/events.ts'
import { normalOf } from './event.ts'

/** Frames of an event that rules are held against, the newest calls. */
const framesMax = 100

/** What rules of ownership are held against: the application's own frames (all, where it has none), the address, the tags. */
export function ownedEventOf(row: SeenEvent): OwnedEvent {
  const event = normalOf(row)
  const traces = [...(event.exception?.values ?? []).map((one) => one.stacktrace), event.stacktrace]
  const all = traces.flatMap((one) => one?.frames ?? []).slice(-framesMax)
  const own = all.filter((one) => one.in_app === true)
  const frames: readonly NormalFrame[] = own.length > 0 ? own : all
  // The newest calls first: where there are more names than are asked, the oldest are left out.
  const newest = frames.toReversed()
  const named = (texts: (string | undefined)[]) =>
    [...new Set(texts.flatMap((one) => one || []))].slice(0, ownedNamesMax)
  return {
    paths: named(newest.flatMap((one) => [one.filename, one.abs_path])),
    modules: named(newest.map((one) => one.module)),
    url: event.request?.url ?? row.tags.url ?? '',
    tags: row.tags,
  }
}
