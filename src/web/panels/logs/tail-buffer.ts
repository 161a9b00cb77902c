import type { RestLogLine, TailMessage } from '../../../contract/explore/logs.ts'
import type { Gap } from './items.ts'

/** Lines of a live tail that the page keeps. At 1,000 lines/s this is the last five seconds. */
const keptMax = 5000

/** What a tail has received. `waiting` are new lines while the reader reads. All are newest first. */
export type Tail = {
  lines: readonly RestLogLine[]
  gaps: readonly Gap[]
  waiting: readonly RestLogLine[]
  waitingCount: number
}

export const emptyTail: Tail = { lines: [], gaps: [], waiting: [], waitingCount: 0 }

const newestFirst = (a: RestLogLine, b: RestLogLine): number =>
  a.timestamp === b.timestamp ? 0 : a.timestamp < b.timestamp ? 1 : -1

/** Adds lines at their time. Lines of one commit can be older than the newest that is shown. */
function merged(added: readonly RestLogLine[], before: readonly RestLogLine[]): RestLogLine[] {
  const oldest = added.at(-1)?.timestamp ?? ''
  // Only the lines since the oldest added one can move.
  const isOlder = (line: RestLogLine) => line.timestamp < oldest
  const at = before.findIndex(isOlder)
  const [mixed, rest] = at < 0 ? [before, []] : [before.slice(0, at), before.slice(at)]
  return [...[...added, ...mixed].sort(newestFirst), ...rest].slice(0, keptMax)
}

/**
 * The tail after some messages, in the order in which they came. `isPaused`: their lines wait. `known` are the ids of
 * the lines that the list had before the tail.
 */
export function received(
  tail: Tail,
  messages: readonly TailMessage[],
  { isPaused, known }: { isPaused: boolean; known: ReadonlySet<string> },
): Tail {
  const added = messages
    .flatMap((message) => (message.kind === 'lines' ? message.lines : []))
    .filter(({ id }) => !known.has(id))
    .sort(newestFirst)
  const gaps = messages.flatMap((message, at): Gap[] =>
    message.kind === 'gap'
      ? [
          {
            id: `gap ${message.at} ${tail.gaps.length + at}`,
            count: message.count,
            reason: message.reason,
            at: message.at,
          },
        ]
      : [],
  )
  const next = { ...tail, gaps: [...gaps, ...tail.gaps].slice(0, 200) }
  if (isPaused) return { ...next, waiting: merged(added, tail.waiting), waitingCount: tail.waitingCount + added.length }
  const all = tail.waiting.length > 0 ? merged(tail.waiting, tail.lines) : tail.lines
  return { ...next, lines: added.length > 0 ? merged(added, all) : [...all], waiting: [], waitingCount: 0 }
}
