import type { NormalEvent, NormalStacktrace } from '../../domain/event.ts'
import type { Context } from '../pipeline/context.ts'
import type { Draft } from '../pipeline/draft.ts'
import { type FrameContext, type MapSource, mapFrames } from './frames.ts'

type Stacked = { stacktrace?: NormalStacktrace; raw_stacktrace?: NormalStacktrace }

/** Maps JavaScript frames to their original positions. The received frames stay as `raw_stacktrace`. */
export function symbolicate({ event }: Draft, { maps }: Context): void {
  if (maps) mapStacks(event, maps)
}

/** Maps every stack of an event. */
export function mapStacks(event: NormalEvent, maps: MapSource): void {
  const context = frameContext(event)
  for (const exception of event.exception?.values ?? []) mapStack(exception, maps, context)
  for (const thread of event.threads?.values ?? []) mapStack(thread, maps, context)
  mapStack(event, maps, context)
}

function mapStack(holder: Stacked, maps: MapSource, context: FrameContext): void {
  const { stacktrace } = holder
  const mapped = stacktrace && mapFrames(stacktrace.frames, maps, context)
  if (!mapped) return
  holder.stacktrace = { ...stacktrace, frames: mapped.frames }
  if (mapped.raw) holder.raw_stacktrace ??= { ...stacktrace, frames: mapped.raw }
}

/** The debug ids of an event's files, by address. */
export function debugIdsOf(event: NormalEvent): Map<string, string> {
  const ids = new Map<string, string>()
  for (const image of event.debug_meta?.images ?? []) {
    const { type, code_file: file, debug_id: id } = image
    if (type === 'sourcemap' && typeof file === 'string' && typeof id === 'string') {
      const debugId = debugIdOf(id)
      if (debugId) ids.set(file, debugId)
    }
  }
  return ids
}

/** How to look up the frames of an event: its release, its dist and the debug ids of its files. */
export function frameContext(event: NormalEvent): FrameContext {
  const ids = debugIdsOf(event)
  const { platform, release, dist = '' } = event
  return { platform, release, dist, debugIdOf: (url) => ids.get(url) }
}

/** A debug id in normal form: lower-case with dashes; undefined if invalid. An appended age is cut. */
function debugIdOf(text: string): string | undefined {
  const hex = text.toLowerCase().replaceAll('-', '')
  if (!/^[\da-f]{32,40}$/.test(hex)) return undefined
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`
}
