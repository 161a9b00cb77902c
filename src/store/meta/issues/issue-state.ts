import type { Selectable } from 'kysely'
import {
  asksEvents,
  dueOf,
  fewEvents,
  floors,
  hourMs,
  type Limits,
  overLimit,
  quietLimits,
  type Status,
  type StatusDetails,
  type Substatus,
  slotMs,
  slotsMax,
} from '../../../domain/issue-states.ts'
import { fromJson } from '../database/store.ts'
import type { Tables } from '../database/tables.ts'
import { shiftCounts } from '../ingest/diagnostic-counts.ts'
import type { EventEffect } from '../meta.ts'
import type { AlertKind } from './alerts.ts'

/** An issue while a batch works on it. */
export type IssueRow = Selectable<Tables['issue']>

/** Free text looks into the beginning of titles and values only; longer ones would make each search read megabytes. */
const searchCharactersMax = 1_000

/** Columns that an issue's newest event gives it. */
export const textColumns = [
  'title',
  'culprit',
  'level',
  'platform',
  'logger',
  'metadata',
  'error_type',
  'error_value',
  'search_text',
] as const satisfies (keyof IssueRow)[]
/** What of an event they are made from. */
type IssueTexts = Pick<EventEffect, 'title' | 'culprit' | 'level' | 'platform' | 'logger' | 'metadata'>

/** What an issue shows of its latest event; worked out once a batch, for the last one only. */
export const latestTexts = (effect: IssueTexts) => {
  const { type = '', value = '' } = effect.metadata
  return {
    title: effect.title,
    culprit: effect.culprit,
    level: effect.level,
    platform: effect.platform,
    logger: effect.logger,
    metadata: JSON.stringify(effect.metadata),
    error_type: type,
    error_value: value,
    search_text: [effect.title, effect.culprit, type, value]
      .map((text) => text.slice(0, searchCharactersMax))
      .join('\n')
      .toLowerCase(),
  }
}

/** What a resolution still waits for: 1 the next release, 2 the one with a commit, 0 nothing. */
function awaitsOf(status: Status, { inRelease, inNextRelease, inCommit }: StatusDetails): 0 | 1 | 2 {
  if (status !== 'resolved' || inRelease !== undefined) return 0
  return inNextRelease ? 1 : inCommit ? 2 : 0
}

/** A state as columns: what it is, since when, and when the clock looks at it again. */
export function stateColumns(status: Status, substatus: Substatus | null, details: StatusDetails, sinceMs: number) {
  return {
    status,
    substatus,
    status_details: JSON.stringify(details),
    state_ms: sinceMs,
    due_ms: dueOf(status, substatus, details, sinceMs),
    awaits_release: awaitsOf(status, details),
    resolved_ms: status === 'resolved' ? sinceMs : null,
  }
}

/**
 * Details of a state after events came from another issue, or went to one (a negative number): they are no arrivals that an
 * archive waits for.
 */
export function shiftBefore(text: string, events: number): string {
  const details = fromJson<StatusDetails>(text)
  if (details.ignoreCount === undefined) return text
  const eventsBefore = Math.max(0, (details.eventsBefore ?? 0) + events)
  return JSON.stringify({ ...details, eventsBefore } satisfies StatusDetails)
}

/** The issue that an event with unknown hashes begins at `nowMs`, before that event is counted in. */
export function beginIssue(
  effect: EventEffect,
  organizationId: number,
  shortId: string,
  nowMs: number,
): Omit<IssueRow, 'id'> {
  return {
    organization_id: organizationId,
    project_id: effect.projectId,
    short_id: shortId,
    kind: effect.kind,
    ...latestTexts(effect),
    ...stateColumns('unresolved', 'new', {}, nowMs),
    assignee_user_id: null,
    first_seen_ms: effect.timestampMs,
    last_seen_ms: effect.timestampMs,
    count: 0,
    first_release: effect.release,
    last_release: effect.release,
    unhandled: Number(effect.unhandled),
    comments: 0,
    rev: 0,
    ten_ms: 0,
    ten_counts: '',
    hour_ms: 0,
    hour_count: 0,
    priority: null,
    sign_counts: '',
    noise: '',
  }
}

/** What an event's commit knows beside the issue itself. */
export type Around = {
  nowMs: number
  /** Whether one release of the issue's project comes after another. */
  isLater(version: string, than: string): boolean
  /** The issue's forecast, where one was made. */
  limitsOf(issueId: number): Limits | undefined
}

/** A state that an event brought about: the activity that says so, and what people are told. */
type Turn = { type: 'set_regression' | 'set_escalating'; alert: AlertKind; data: Record<string, unknown> }

/** Until an issue is a day old nobody can say what is much for it. */
const youngMs = 86_400_000

function turn(row: IssueRow, substatus: 'regressed' | 'escalating', nowMs: number): void {
  Object.assign(row, stateColumns('unresolved', substatus, {}, nowMs))
  row.rev += 1
}

/** Arrivals of the last five slots, the newest last. */
const countsOf = (row: IssueRow): number[] => (row.ten_counts === '' ? [] : row.ten_counts.split(',').map(Number))

/** Counts an arrival into the windows that are open; one that is older than they are counts in none. */
function countArrival(row: IssueRow, receivedMs: number): void {
  const slot = Math.floor(receivedMs / slotMs) * slotMs
  const hour = Math.floor(receivedMs / hourMs) * hourMs
  const passed = (slot - row.ten_ms) / slotMs
  const counts = countsOf(row)
  if (passed > 0) {
    counts.push(...Array<number>(Math.min(passed, slotsMax)).fill(0))
    counts.splice(0, counts.length - slotsMax)
    row.ten_ms = slot
  }
  const at = counts.length - 1 + Math.min(0, passed)
  const there = counts[at]
  if (there !== undefined) counts[at] = there + 1
  row.ten_counts = counts.join(',')
  if (hour > row.hour_ms) Object.assign(row, { hour_ms: hour, hour_count: 0 })
  if (hour === row.hour_ms) row.hour_count += 1
}

/** How far the issue is over its own forecast; undefined while it is not, or while nobody can say. */
export function escalationOf(row: IssueRow, around: Pick<Around, 'limitsOf' | 'nowMs'>) {
  const tenCount = countsOf(row).reduce((sum, count) => sum + count, 0)
  if (tenCount <= floors.ten && row.hour_count <= floors.hour) return undefined
  // What never had more events than a window may has no level of its own that a forecast would have to know.
  const isQuiet = row.count - row.hour_count < fewEvents && row.first_seen_ms < around.nowMs - youngMs
  const limits = around.limitsOf(row.id) ?? (isQuiet ? quietLimits : undefined)
  const { ten_ms: slotStartMs, hour_ms: hourStartMs, hour_count: hourCount } = row
  return limits && overLimit({ slotStartMs, tenCount, hourStartMs, hourCount }, limits)
}

/** Whether an event brings a resolved issue back. */
function isRegression(row: IssueRow, effect: EventEffect, around: Around): boolean {
  // Only an event later than the resolution, not one that a client held back and sends after it.
  if (row.resolved_ms === null || effect.timestampMs <= row.resolved_ms) return false
  const { inRelease } = fromJson<StatusDetails>(row.status_details)
  if (row.awaits_release !== 0) return false
  if (inRelease === undefined) return true
  // Which release an event without one is of nobody knows.
  return effect.release !== '' && around.isLater(effect.release, inRelease)
}

/** What an arrival does to an archived issue. Conditions that only the events can answer are left to the clock. */
function wake(row: IssueRow, around: Around): Turn['data'] | undefined {
  const details = fromJson<StatusDetails>(row.status_details)
  const { ignoreCount, ignoreWindow, eventsBefore = 0 } = details
  // Asked first: of several conditions the one that is met wakes it, and this one needs nobody else.
  if (ignoreCount !== undefined && ignoreWindow === undefined && row.count - eventsBefore >= ignoreCount)
    return { reason: 'count', count: ignoreCount }
  if (asksEvents(details)) {
    row.due_ms = Math.min(row.due_ms ?? around.nowMs, around.nowMs)
    return undefined
  }
  if (row.substatus !== 'archived_until_escalating') return undefined
  const over = escalationOf(row, around)
  return over && { reason: 'forecast', ...over }
}

function turnOf(row: IssueRow, effect: EventEffect, around: Around): Turn | undefined {
  const { eventId, release } = effect
  const what = { eventId, ...(release === '' ? {} : { release }) }
  if (row.status === 'resolved') {
    if (!isRegression(row, effect, around)) return undefined
    turn(row, 'regressed', around.nowMs)
    return { type: 'set_regression', alert: 'regression', data: what }
  }
  const over = row.status === 'ignored' ? wake(row, around) : growth(row, around)
  if (!over) return undefined
  turn(row, 'escalating', around.nowMs)
  return { type: 'set_escalating', alert: 'escalation', data: { eventId, ...over } }
}

/** Whether a new or ongoing issue is over its forecast. */
function growth(row: IssueRow, around: Around): Turn['data'] | undefined {
  if (row.substatus !== 'new' && row.substatus !== 'ongoing') return undefined
  const over = escalationOf(row, around)
  return over && { reason: 'forecast', ...over }
}

/** Counts one event into its issue's figures, in place: how many, when, in which releases. */
function countFigures(row: IssueRow, effect: EventEffect): void {
  row.count += 1
  if (effect.unhandled) row.unhandled = 1
  if (effect.release !== '') {
    if (row.first_release === '' || effect.timestampMs < row.first_seen_ms) row.first_release = effect.release
    if (row.last_release === '' || effect.timestampMs >= row.last_seen_ms) row.last_release = effect.release
  }
  if (effect.timestampMs < row.first_seen_ms) row.first_seen_ms = effect.timestampMs
  if (effect.timestampMs > row.last_seen_ms) row.last_seen_ms = effect.timestampMs
}

/** Counts an event that arrived into its issue, in place. Returns the new state that it brought about. */
export function countEvent(row: IssueRow, effect: EventEffect, around: Around): Turn | undefined {
  countFigures(row, effect)
  shiftCounts(row, effect.signs, 1)
  countArrival(row, effect.receivedMs)
  return turnOf(row, effect, around)
}

/**
 * Counts an event that moves here from another issue. It may reopen a resolved issue, but it is no arrival. The caller
 * counts its diagnostics, and counts them out of the other issue.
 */
export function countMoved(row: IssueRow, effect: EventEffect, around: Around): Turn | undefined {
  countFigures(row, effect)
  return row.status === 'resolved' ? turnOf(row, effect, around) : undefined
}

/** Whether a release is the next one for what waits for one after `afterRelease` ('': any); a fix of an old version is not. */
export const isNext = (version: string, afterRelease: string, around: Pick<Around, 'isLater'>): boolean =>
  afterRelease === '' || around.isLater(version, afterRelease)

/** After which release the next one has to come for an issue that waits for it. */
export const afterOf = (row: Pick<IssueRow, 'status_details'>): string =>
  fromJson<StatusDetails>(row.status_details).afterRelease ?? ''

/** Resolves an issue in the project's next release, in place; false if the issue did not wait for this release. */
export function settleNext(row: IssueRow, version: string, around: Around): boolean {
  if (row.awaits_release !== 1 || row.status !== 'resolved') return false
  if (!isNext(version, afterOf(row), around)) return false
  row.awaits_release = 0
  row.status_details = JSON.stringify({ inRelease: version } satisfies StatusDetails)
  row.rev += 1
  return true
}

/** Resolves in a release, in place, what waited for its commit; false when it waited for no commit that `has` knows. */
export function settleCommit(
  row: IssueRow,
  version: string,
  has: (inCommit: NonNullable<StatusDetails['inCommit']>) => boolean,
): boolean {
  const { inCommit } = fromJson<StatusDetails>(row.status_details)
  if (row.awaits_release !== 2 || row.status !== 'resolved' || !inCommit || !has(inCommit)) return false
  row.awaits_release = 0
  row.status_details = JSON.stringify({ inRelease: version, inCommit } satisfies StatusDetails)
  row.rev += 1
  return true
}
