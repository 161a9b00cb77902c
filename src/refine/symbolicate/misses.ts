import type { NormalEvent, NormalStacktrace, UnmappedReason } from '../../domain/event.ts'
import { debugName, lateMapName, releaseName } from '../../store/meta/ingest/missing-source-maps.ts'
import { mayBeMapped } from './frames.ts'
import { debugIdsOf } from './symbolicate.ts'

/** Maximum names per event, so that invented debug ids do not cause hundreds of entries. */
const namesMax = 12

/** Reasons that another upload can fix. The others need a code change or cannot be fixed. */
const retryable: ReadonlySet<UnmappedReason | undefined> = new Set<UnmappedReason | undefined>([
  undefined,
  'file_missing',
  'file_gone',
  'map_unnamed',
  'map_missing',
  'map_broken',
  'map_large',
])
const lateReasons: ReadonlySet<UnmappedReason | undefined> = new Set<UnmappedReason | undefined>([
  'map_pending',
  'map_slow',
])

function stacksOf(event: NormalEvent): NormalStacktrace[] {
  const holders = [...(event.exception?.values ?? []), ...(event.threads?.values ?? []), event]
  return holders.flatMap(({ stacktrace }) => stacktrace ?? [])
}

/**
 * The names of the missing source maps of an event's frames, as the table `missed` stores them, also for events before the first
 * upload. A file without a debug id counts only if it is in-app: a server's libraries are never uploaded.
 */
export function missesOf(event: NormalEvent): string[] {
  const stacks = stacksOf(event)
  if (stacks.length === 0) return []
  const names = new Set<string>()
  const { platform } = event
  let ids: Map<string, string> | undefined
  let last: string | undefined
  for (const { frames } of stacks)
    for (const frame of frames) {
      const { data, abs_path: path = '' } = frame
      if (data?.symbolicated || !mayBeMapped(frame, platform)) continue
      if (lateReasons.has(data?.reason)) names.add(lateMapName)
      else if (!retryable.has(data?.reason)) continue
      if (path !== last) {
        last = path
        ids ??= debugIdsOf(event)
        const debugId = ids.get(path)
        if (debugId) names.add(debugName(debugId))
        else if (!frame.in_app && !frame.in_app_unsaid) continue
        names.add(releaseName(event.release ?? '', event.dist ?? ''))
      }
      if (names.size >= namesMax) return [...names]
    }
  return [...names]
}
