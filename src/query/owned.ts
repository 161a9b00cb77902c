import type { NormalFrame } from '../protocol/event.ts'
import type { OwnedEvent } from '../protocol/ownership.ts'
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
  const named = (texts: (string | undefined)[]) => [...new Set(texts.filter((one) => one !== undefined && one !== ''))]
  return {
    paths: named(frames.flatMap((one) => [one.filename, one.abs_path])) as string[],
    modules: named(frames.map((one) => one.module)) as string[],
    url: event.request?.url ?? row.tags.url ?? '',
    tags: row.tags,
  }
}
