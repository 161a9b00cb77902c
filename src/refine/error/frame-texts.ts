import type { NormalEvent, NormalStacktrace } from '../../protocol/event.ts'
import { frameKeys, framesMax, frameText } from '../../store/events/frames.ts'
import { crashedStack } from './describe.ts'

/** The stacks of all exceptions, the newest exception first; where there is none, that of the crashed thread or the event. */
function stacksOf(event: NormalEvent): NormalStacktrace[] {
  const found: NormalStacktrace[] = []
  const exceptions = event.exception?.values ?? []
  for (let at = exceptions.length - 1; at >= 0; at--) {
    const stack = exceptions[at]?.stacktrace
    if (stack) found.push(stack)
  }
  const other = found.length > 0 ? undefined : crashedStack(event)
  return other ? [other] : found
}

/**
 * What a search finds of the frames of an event, each once: functions, files, modules and packages as they are shown, so as
 * the source has them where a source map did; and whether they are the application’s own. Of 100 frames at most, those
 * nearest the crash.
 */
export function frameTexts(event: NormalEvent): string[] {
  const texts = new Set<string>()
  let left = framesMax
  for (const { frames } of stacksOf(event)) {
    for (let at = frames.length - 1; at >= 0 && left > 0; at--, left--) {
      const frame = frames[at]
      if (!frame) continue
      for (const key of frameKeys) {
        const value = frame[key]
        if (value) texts.add(frameText(key, value))
      }
      texts.add(frame.in_app ? 'in_app=true' : 'in_app=false')
    }
  }
  return [...texts]
}
