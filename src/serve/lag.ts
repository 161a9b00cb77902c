import { type Lane, lanes } from '../base/lane.ts'
import type { ToApp } from './messages.ts'

/** State that the main process reports about the journal. */
export type JournalState = {
  lagBytes: number
  /** Records that refine has not committed; counted up to 5,000. */
  waitingRecords: number
  oldestWaitingMs: number
  /** The same for lane `events` alone, which bulk data does not delay. */
  eventsWaitingMs: number
  boundBytes: number
}

/** Uncommitted records of a lane, and the position before which all of them are committed. */
type LaneState = { waiting: number; doneTo: number }

/** Records when each position became durable, so that the lag has an age and not only bytes. */
export function createLag() {
  const samples: { durable: number; atMs: number }[] = []
  const state = { lagBytes: 0, boundBytes: 0 }
  return {
    record: (message: ToApp & { kind: 'durable' }, nowMs: number) => {
      Object.assign(state, { lagBytes: message.lagBytes, boundBytes: message.boundBytes })
      const newest = samples.at(-1)
      // Ten entries per second are exact enough for a status page.
      if (!newest || nowMs - newest.atMs >= 100) samples.push({ durable: message.durable, atMs: nowMs })
      else newest.durable = message.durable
    },
    done: (cursor: number) => {
      while (samples[0] && samples[0].durable <= cursor) samples.shift()
      if (samples.length === 0) state.lagBytes = 0
    },
    // After a start, the journal ends in a new empty segment after the cursor. Nothing waits then.
    state: (nowMs: number, states: Readonly<Record<Lane, LaneState>>): JournalState => {
      const waitingRecords = lanes.reduce((sum, lane) => sum + states[lane].waiting, 0)
      const ageOf = ({ waiting, doneTo }: LaneState) => {
        const oldest = waiting > 0 ? samples.find(({ durable }) => durable > doneTo) : undefined
        return oldest ? Math.max(0, nowMs - oldest.atMs) : 0
      }
      return {
        lagBytes: waitingRecords === 0 ? 0 : state.lagBytes,
        boundBytes: state.boundBytes,
        oldestWaitingMs: Math.max(ageOf(states.events), ageOf(states.bulk)),
        eventsWaitingMs: ageOf(states.events),
        waitingRecords,
      }
    },
  }
}
