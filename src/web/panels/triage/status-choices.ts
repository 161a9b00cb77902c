import type { RestIssue } from '../../../contract/issues.ts'
import type { Standing } from '../stream/rows.ts'

/** Ways to resolve and to archive; `id` names their texts. Each stands in a dialog behind one key. */
export type Way = { id: string; standing: Standing }

const minuteMs = 60_000
const hourMinutes = 60

const archived = (statusDetails: RestIssue['statusDetails']): Standing => ({
  status: 'ignored',
  substatus: 'archived_until_condition_met',
  statusDetails,
})

export const resolveWays: readonly Way[] = [
  { id: 'now', standing: { status: 'resolved' } },
  { id: 'thisRelease', standing: { status: 'resolved', statusDetails: { inRelease: 'latest' } } },
  { id: 'nextRelease', standing: { status: 'resolved', statusDetails: { inNextRelease: true } } },
]

const untilEscalating: Way = {
  id: 'untilEscalating',
  standing: { status: 'ignored', substatus: 'archived_until_escalating' },
}

/** Times until which an issue can be put away, from `nowMs`. */
export const snoozeWays = (nowMs: number): Way[] =>
  (
    [
      ['hour', hourMinutes],
      ['day', 24 * hourMinutes],
      ['week', 7 * 24 * hourMinutes],
      ['month', 30 * 24 * hourMinutes],
    ] as const
  ).map(([id, minutes]) => ({
    id,
    standing: archived({ ignoreUntil: new Date(nowMs + minutes * minuteMs).toISOString() }),
  }))

export const archiveWays: readonly Way[] = [
  untilEscalating,
  { id: 'events10', standing: archived({ ignoreCount: 10 }) },
  { id: 'events100', standing: archived({ ignoreCount: 100 }) },
  { id: 'events100hour', standing: archived({ ignoreCount: 100, ignoreWindow: hourMinutes }) },
  { id: 'users10', standing: archived({ ignoreUserCount: 10 }) },
  { id: 'users100day', standing: archived({ ignoreUserCount: 100, ignoreUserWindow: 24 * hourMinutes }) },
  { id: 'forever', standing: { status: 'ignored', substatus: 'archived_forever' } },
]
