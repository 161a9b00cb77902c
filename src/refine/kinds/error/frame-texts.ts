import type { NormalEvent, NormalFrame, NormalStacktrace, NormalThread } from '../../../domain/event.ts'
import { frameKeys, framesMax, frameValue } from '../../../store/events/frames.ts'
import { mayBeMapped } from '../../symbolicate/frames.ts'
import { crashedStack } from './describe.ts'

/** The thread that the newest exception names, else the crashed thread, else the current thread. */
function crashedThread(event: NormalEvent): NormalThread | undefined {
  const threads = event.threads?.values ?? []
  const id = event.exception?.values?.at(-1)?.thread_id
  return (
    (id === undefined ? undefined : threads.find((thread) => String(thread.id) === String(id))) ??
    threads.find((thread) => thread.crashed) ??
    threads.find((thread) => thread.current)
  )
}

/** The stacks of all exceptions, newest first. Without an exception, the stack of the crashed thread or the event. */
function stacksOf(event: NormalEvent): NormalStacktrace[] {
  const found: NormalStacktrace[] = []
  const exceptions = event.exception?.values ?? []
  for (let at = exceptions.length - 1; at >= 0; at--) {
    const stack = exceptions[at]?.stacktrace
    if (stack) found.push(stack)
  }
  const other = found.length > 0 ? undefined : (crashedThread(event)?.stacktrace ?? crashedStack(event))
  return other ? [other] : found
}

/** Whether the main thread crashed; undefined if unknown. Some SDKs set `main` only on the main thread. */
function onMainThread(event: NormalEvent): boolean | undefined {
  const crashed = crashedThread(event)
  const hasMainThread = event.threads?.values?.some((thread) => thread.main)
  return crashed && (crashed.main ?? (hasMainThread ? false : undefined))
}

/** Whether all mappable in-app frames are mapped; undefined if there is no such frame. */
function allMapped(stacks: readonly NormalStacktrace[], platform: string): boolean | undefined {
  const isMapped = (frame: NormalFrame) => frame.mapped_before === true || frame.data?.symbolicated === true
  const own = stacks.flatMap(({ frames }) =>
    frames.filter((frame) => frame.in_app && (isMapped(frame) || mayBeMapped(frame, platform))),
  )
  return own.length === 0 ? undefined : own.every(isMapped)
}

/**
 * Search texts for the frames of an event, each once: functions, files, modules and packages as displayed (so with the
 * original names, if mapped), and in_app. Reads at most 100 frames, nearest to the crash first. Then, if known, whether
 * the main thread crashed and whether all in-app frames are mapped.
 */
export function frameTexts(event: NormalEvent): string[] {
  const texts: string[] = []
  // Compares values instead of texts: a concatenated text must be flattened and hashed, which took twice as long.
  const valuesByKey = frameKeys.map((key) => ({ key, values: new Set<string>() }))
  const written = { true: false, false: false }
  let left = framesMax
  const stacks = stacksOf(event)
  for (const { frames } of stacks) {
    for (let at = frames.length - 1; at >= 0 && left > 0; at--, left--) {
      const frame = frames[at]
      if (!frame) continue
      for (const { key, values } of valuesByKey) {
        const value = frameValue(frame[key] ?? '')
        if (value === '' || values.has(value)) continue
        values.add(value)
        texts.push(`${key}=${value}`)
      }
      const isOwn = frame.in_app ? 'true' : 'false'
      if (!written[isOwn]) texts.push(`in_app=${isOwn}`)
      written[isOwn] = true
    }
  }
  const main = onMainThread(event)
  if (main !== undefined) texts.push(`main_thread=${main}`)
  const mapped = allMapped(stacks, event.platform)
  if (mapped !== undefined) texts.push(`symbolicated_in_app=${mapped}`)
  return texts
}
