/**
 * States of an issue and their automatic transitions (docs/triage.md). Pure: store, jobs and API use it, so that a
 * state has one meaning everywhere.
 */

export const statuses = ['unresolved', 'resolved', 'ignored'] as const
export type Status = (typeof statuses)[number]

/** Substatuses of an unresolved issue. */
export const openSubstatuses = ['new', 'ongoing', 'escalating', 'regressed'] as const
/** Substatuses of an archived issue, with their names in the REST API. */
const archivedSubstatuses = ['archived_until_escalating', 'archived_until_condition_met', 'archived_forever'] as const
export const substatuses = [...openSubstatuses, ...archivedSubstatuses] as const
export type Substatus = (typeof substatuses)[number]

/** Reason and end of a state, as stored and as in REST. Counts are at least 1. Windows are in minutes. */
export type StatusDetails = {
  /** Resolved in this release: only a later one reopens it. */
  inRelease?: string
  /** Resolved in the next release. */
  inNextRelease?: true
  /** With `inNextRelease`: the latest release at that time ('' for none). The next one must come after it. */
  afterRelease?: string
  /** Resolved in the release with this commit. `inRelease` is set once a release has it. */
  inCommit?: { repository: string; commit: string }
  /** Archived until this time, ISO 8601. */
  ignoreUntil?: string
  /** Archived until this many more events, within `ignoreWindow` if given. */
  ignoreCount?: number
  ignoreWindow?: number
  /** Archived until this many affected users, within `ignoreUserWindow` if given. */
  ignoreUserCount?: number
  ignoreUserWindow?: number
  /** With `ignoreCount`: number of events when it was archived. */
  eventsBefore?: number
}

/** After this time a new issue becomes ongoing; an escalating or regressed one can (docs/specification.md 4). */
export const ageMs = 7 * 86_400_000

/** Returns the kind of archive for the conditions; without any the requested kind, else forever. */
export function archiveOf(details: StatusDetails, requested?: string | null): Substatus {
  const { ignoreUntil, ignoreCount, ignoreUserCount } = details
  if (ignoreUntil !== undefined || ignoreCount !== undefined || ignoreUserCount !== undefined)
    return 'archived_until_condition_met'
  return requested === 'archived_until_escalating' ? requested : 'archived_forever'
}

/** Returns the time in ms of the next scheduled transition; null: never. `sinceMs` is the start of the state. */
export function dueOf(
  status: Status,
  substatus: Substatus | null,
  details: StatusDetails,
  sinceMs: number,
): number | null {
  if (status === 'unresolved') return substatus === 'ongoing' || substatus === null ? null : sinceMs + ageMs
  if (status === 'ignored' && details.ignoreUntil !== undefined) return Date.parse(details.ignoreUntil)
  return null
}

/** Returns whether a condition needs the events store: users, or events within a window. */
export const hasEventLimit = ({ ignoreCount, ignoreWindow, ignoreUserCount }: StatusDetails): boolean =>
  ignoreUserCount !== undefined || (ignoreCount !== undefined && ignoreWindow !== undefined)

/** Events are counted per hour, and in slots of which five cover the last ten minutes. */
export const slotMs = 120_000
export const slotsMax = 5
export const hourMs = 3_600_000

/** Minimum events for an escalation, however quiet the issue was. */
export const floors = { ten: 20, hour: 30 } as const

/** Maximum events by the forecast of an issue, by UTC hour of the day (24 numbers each). */
export type Limits = { ten: readonly number[]; hour: readonly number[] }

/** Event counts of an issue in the last eight to ten minutes and in the current hour. */
type Windows = { slotStartMs: number; tenCount: number; hourStartMs: number; hourCount: number }

/** Returns the window that exceeds its limit, with both numbers; undefined if none does. */
export function overLimit(
  windows: Windows,
  limits: Limits,
): { count: number; limit: number; minutes: number } | undefined {
  const ten = limits.ten[new Date(windows.slotStartMs).getUTCHours()] ?? Number.POSITIVE_INFINITY
  if (windows.tenCount > ten) return { count: windows.tenCount, limit: ten, minutes: 10 }
  const hour = limits.hour[new Date(windows.hourStartMs).getUTCHours()] ?? Number.POSITIVE_INFINITY
  return windows.hourCount > hour ? { count: windows.hourCount, limit: hour, minutes: 60 } : undefined
}

/** Issues with fewer events per week have no level. */
export const fewEvents = 100

/** Limits of an issue without a level: one user who retries repeatedly is no escalation. */
export const silentLimits: Limits = { ten: Array(24).fill(60), hour: Array(24).fill(60) }
