import type { NormalFrame } from '../../domain/event.ts'
import { type OwnedEvent, ownedNamesMax } from '../../domain/ownership.ts'
import type { EventStore } from '../../store/events/event-store.ts'
import type { SeenEvent } from '../../store/events/events.ts'
import type { Issue } from '../../store/meta/meta.ts'
import type { MetaWith } from '../../store/meta/meta-store.ts'
import { normalOf } from './event.ts'

/** Limit of frames that are compared with rules: the newest calls. */
const framesMax = 100

/** The parts of an event that ownership rules match: in-app frames (or all, if none is in-app), the URL and the tags. */
export function ownedEventOf(row: SeenEvent): OwnedEvent {
  const event = normalOf(row)
  const traces = [...(event.exception?.values ?? []).map((exception) => exception.stacktrace), event.stacktrace]
  const all = traces.flatMap((trace) => trace?.frames ?? []).slice(-framesMax)
  const inApp = all.filter((frame) => frame.in_app === true)
  const frames: readonly NormalFrame[] = inApp.length > 0 ? inApp : all
  // The newest calls come first, so that a limit on names drops the oldest.
  const newest = frames.toReversed()
  const named = (texts: (string | undefined)[]) =>
    [...new Set(texts.flatMap((text) => text || []))].slice(0, ownedNamesMax)
  return {
    paths: named(newest.flatMap((frame) => [frame.filename, frame.abs_path])),
    modules: named(newest.map((frame) => frame.module)),
    url: event.request?.url ?? row.tags.url ?? '',
    tags: row.tags,
  }
}

/** Returns the latest event of each of a project's issues that has any. Throws STORE_UNAVAILABLE. */
export async function latestEventsOf(
  { meta, events }: { meta: MetaWith<'issues.hashesOf'>; events: Pick<EventStore, 'newestPlaces' | 'eventsAt'> },
  projectId: number,
  issues: readonly Pick<Issue, 'id'>[],
): Promise<Map<number, SeenEvent>> {
  const ownerOf = new Map<string, number>()
  for (const [id, hashes] of await meta.issues.hashesOf(issues.map((issue) => issue.id)))
    for (const hash of hashes) ownerOf.set(hash, id)
  const positions = await events.newestPlaces(projectId, [...ownerOf.keys()])
  const latest = new Map<number | undefined, (typeof positions)[number]>()
  for (const position of positions) {
    const id = ownerOf.get(position.groupHash)
    if (position.timestampUs > (latest.get(id)?.timestampUs ?? -1)) latest.set(id, position)
  }
  const rows = await events.eventsAt(projectId, [...latest.values()])
  return new Map(
    rows.flatMap((row): [number, SeenEvent][] => {
      const id = ownerOf.get(row.groupHash)
      return id === undefined ? [] : [[id, row]]
    }),
  )
}
