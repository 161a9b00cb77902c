import type { RestEvent, RestFrame, RestStacktrace } from '../../../contract/events.ts'
import { entryOf } from '../../client/event-entries.ts'

function stacksOf(event: RestEvent): RestStacktrace[] {
  const exceptions = entryOf(event, 'exception')?.data.values ?? []
  const threads = entryOf(event, 'threads')?.data.values ?? []
  const stack = entryOf(event, 'stacktrace')?.data
  const all = [
    ...exceptions.map((exception) => exception.stacktrace),
    ...threads.map((thread) => thread.stacktrace),
    stack,
  ]
  return all.flatMap((item) => (item ? [item] : []))
}

/** A script that a browser loaded. Where nothing was looked up, a frame of Node is its own source more often than not. */
const isLoaded = ({ absPath, filename }: RestFrame) =>
  /^https?:\/\/.*\.[cm]?jsx?(?:[?#].*)?$/i.test(absPath ?? filename ?? '')

/**
 * Whether the doctor has something to say about an event: a frame was looked up and is not mapped, or lacks its source; or
 * nothing was looked up at all, and a browser's frame has no source lines.
 */
export function needsDoctor(event: RestEvent): boolean {
  const frames = stacksOf(event).flatMap((stack) => stack.frames)
  if (frames.some((frame) => frame.data && (frame.data.symbolicated === false || frame.data.reason !== null)))
    return true
  return (
    event.platform === 'javascript' &&
    frames.some((frame) => !frame.data?.symbolicated && frame.context.length === 0 && isLoaded(frame))
  )
}
