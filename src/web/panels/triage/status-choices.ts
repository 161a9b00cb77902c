import type { RestIssue } from '../../../contract/issues.ts'
import type { StatusChange } from '../../client/issue-status.ts'

/** A choice to resolve, archive or snooze. `id` names its text. */
export type StatusChoice = { id: string; change: StatusChange }

const minuteMs = 60_000
const hourMinutes = 60

const archived = (statusDetails: RestIssue['statusDetails']): StatusChange => ({
  status: 'ignored',
  substatus: 'archived_until_condition_met',
  statusDetails,
})

export const resolveChoices: readonly StatusChoice[] = [
  { id: 'now', change: { status: 'resolved' } },
  { id: 'thisRelease', change: { status: 'resolved', statusDetails: { inRelease: 'latest' } } },
  { id: 'nextRelease', change: { status: 'resolved', statusDetails: { inNextRelease: true } } },
]

const untilEscalating: StatusChoice = {
  id: 'untilEscalating',
  change: { status: 'ignored', substatus: 'archived_until_escalating' },
}

/** Snooze times, counted from `nowMs`. */
export const snoozeChoices = (nowMs: number): StatusChoice[] =>
  (
    [
      ['hour', hourMinutes],
      ['day', 24 * hourMinutes],
      ['week', 7 * 24 * hourMinutes],
      ['month', 30 * 24 * hourMinutes],
    ] as const
  ).map(([id, minutes]) => ({
    id,
    change: archived({ ignoreUntil: new Date(nowMs + minutes * minuteMs).toISOString() }),
  }))

export const archiveChoices: readonly StatusChoice[] = [
  untilEscalating,
  { id: 'events10', change: archived({ ignoreCount: 10 }) },
  { id: 'events100', change: archived({ ignoreCount: 100 }) },
  { id: 'events100hour', change: archived({ ignoreCount: 100, ignoreWindow: hourMinutes }) },
  { id: 'users10', change: archived({ ignoreUserCount: 10 }) },
  { id: 'users100day', change: archived({ ignoreUserCount: 100, ignoreUserWindow: 24 * hourMinutes }) },
  { id: 'forever', change: { status: 'ignored', substatus: 'archived_forever' } },
]
