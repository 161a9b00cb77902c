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
  return all.flatMap((candidate) => (candidate ? [candidate] : []))
}

/** Whether a browser loaded this script. Node frames without a lookup usually are their own source. */
const isLoaded = ({ absPath, filename }: RestFrame) =>
  /^https?:\/\/.*\.[cm]?jsx?(?:[?#].*)?$/i.test(absPath ?? filename ?? '')

/**
 * Whether the doctor can explain something: a frame was looked up but is not mapped or lacks its source, or nothing was
 * looked up and a browser frame has no source lines.
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
