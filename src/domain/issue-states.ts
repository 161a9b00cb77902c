/**
 * States of an issue and what they turn into by themselves (docs/triage.md). Pure: the store, the jobs and the API all
 * ask here, so that a state means the same wherever it is read.
 */

export const statuses = ['unresolved', 'resolved', 'ignored'] as const
export type Status = (typeof statuses)[number]

/** What an unresolved issue can be. */
export const openSubstatuses = ['new', 'ongoing', 'escalating', 'regressed'] as const
/** What an archived issue can be; the names are those of the REST API. */
const archivedSubstatuses = ['archived_until_escalating', 'archived_until_condition_met', 'archived_forever'] as const
export const substatuses = [...openSubstatuses, ...archivedSubstatuses] as const
export type Substatus = (typeof substatuses)[number]

/** Why and until when an issue is in its state, as it is kept and as REST says it. Counts are at least 1, windows minutes. */
export type StatusDetails = {
  /** Resolved in this release: only a later one brings it back. */
  inRelease?: string
  /** Resolved in the release that is made next. */
  inNextRelease?: true
  /** With `inNextRelease`: the latest release when that was said ('' for none); the next one must come after it. */
  afterRelease?: string
  /** Resolved in the release that has this commit; `inRelease` once one has. */
  inCommit?: { repository: string; commit: string }
  /** Archived until this time, ISO 8601. */
  ignoreUntil?: string
  /** Archived until this many more events, within `ignoreWindow` where that is given. */
  ignoreCount?: number
  ignoreWindow?: number
  /** Archived until this many users met it, within `ignoreUserWindow` where that is given. */
  ignoreUserCount?: number
  ignoreUserWindow?: number
  /** With `ignoreCount`: the events that it had when it was archived. */
  eventsBefore?: number
}

/** After this time in its state a new issue is ongoing, and an escalating or regressed one may be (docs/specification.md 4). */
export const ageMs = 7 * 86_400_000

/** Which kind of archive the conditions make; without any the one that was asked for, else for ever. */
export function archiveOf(details: StatusDetails, asked?: string | null): Substatus {
  const { ignoreUntil, ignoreCount, ignoreUserCount } = details
  if (ignoreUntil !== undefined || ignoreCount !== undefined || ignoreUserCount !== undefined)
    return 'archived_until_condition_met'
  return asked === 'archived_until_escalating' ? asked : 'archived_forever'
}

/** When the clock changes a state to another state, ms; null: never. `sinceMs` is when the state began. */
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

/** Whether only the events themselves can say that a condition is met: users, or events within a window. */
export const asksEvents = ({ ignoreCount, ignoreWindow, ignoreUserCount }: StatusDetails): boolean =>
  ignoreUserCount !== undefined || (ignoreCount !== undefined && ignoreWindow !== undefined)

/** Arrivals are counted in hours, and in slots of which five make the last ten minutes. */
export const slotMs = 120_000
export const slotsMax = 5
export const hourMs = 3_600_000

/** Fewer arrivals than these are never an escalation, however quiet the issue was. */
export const floors = { ten: 20, hour: 30 } as const

/** Most arrivals of an issue that its forecast allows, by UTC hour of the day (24 numbers each). */
export type Limits = { ten: readonly number[]; hour: readonly number[] }

/** What was counted of an issue in the last eight to ten minutes and in the hour that is open. */
type Windows = { slotStartMs: number; tenCount: number; hourStartMs: number; hourCount: number }

/** The window that is over its limit, and by what; undefined while none is. */
export function overLimit(
  windows: Windows,
  limits: Limits,
): { count: number; limit: number; minutes: number } | undefined {
  const ten = limits.ten[new Date(windows.slotStartMs).getUTCHours()] ?? Number.POSITIVE_INFINITY
  if (windows.tenCount > ten) return { count: windows.tenCount, limit: ten, minutes: 10 }
  const hour = limits.hour[new Date(windows.hourStartMs).getUTCHours()] ?? Number.POSITIVE_INFINITY
  return windows.hourCount > hour ? { count: windows.hourCount, limit: hour, minutes: 60 } : undefined
}

/** An issue with fewer events in a week has no level. */
export const fewEvents = 100

/** Limits of an issue that has no level: one user who tries again and again is no escalation. */
export const quietLimits: Limits = { ten: Array(24).fill(60), hour: Array(24).fill(60) }
