import type { Selectable } from 'kysely'
import {
  dueOf,
  fewEvents,
  floors,
  hasEventLimit,
  hourMs,
  type Limits,
  overLimit,
  type Status,
  type StatusDetails,
  type Substatus,
  silentLimits,
  slotMs,
  slotsMax,
} from '../../../domain/issue-states.ts'
import { fromJson } from '../database/store.ts'
import type { Tables } from '../database/tables.ts'
import { changeCounts } from '../ingest/diagnostic-counts.ts'
import type { EventEffect } from '../meta.ts'

/** An issue while a batch works on it. */
export type IssueRow = Selectable<Tables['issue']>

/** Free-text search covers only the start of titles and values. Longer texts would make each search read megabytes. */
const searchCharactersMax = 1_000

/** Columns that the newest event of an issue sets. */
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
/** The fields of an event that these columns come from. */
type IssueTexts = Pick<EventEffect, 'title' | 'culprit' | 'level' | 'platform' | 'logger' | 'metadata'>

/** Returns the columns from the latest event; computed once per batch, for the last event only. */
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

/** What a resolution waits for: 1 the next release, 2 the release with a commit, 0 nothing. */
function awaitsOf(status: Status, { inRelease, inNextRelease, inCommit }: StatusDetails): 0 | 1 | 2 {
  if (status !== 'resolved' || inRelease !== undefined) return 0
  return inNextRelease ? 1 : inCommit ? 2 : 0
}

/** Returns the columns of a state: the state, its start, and the next scheduled check. */
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
 * Adjusts the details of a state after events moved from another issue (or to it: a negative number). Moved events do
 * not count as arrivals that an archived issue waits for.
 */
export function shiftBefore(text: string, events: number): string {
  const details = fromJson<StatusDetails>(text)
  if (details.ignoreCount === undefined) return text
  const eventsBefore = Math.max(0, (details.eventsBefore ?? 0) + events)
  return JSON.stringify({ ...details, eventsBefore } satisfies StatusDetails)
}

/** Returns the new issue for an event with unknown hashes at `nowMs`, before the event is counted. */
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

/** Context of a commit, in addition to the issue itself. */
export type IssueContext = {
  nowMs: number
  /** Whether one release of the issue's project comes after another. */
  isLater(version: string, than: string): boolean
  /** The issue's forecast, if one exists. */
  limitsOf(issueId: number): Limits | undefined
}

/** A state transition caused by an event: its activity, and the alert for people. */
type StateChange = {
  type: 'set_regression' | 'set_escalating'
  alert: 'regression' | 'escalation'
  data: Record<string, unknown>
}

/** Before an issue is a day old, its normal rate is unknown. */
const newIssueMs = 86_400_000

function changeState(row: IssueRow, substatus: 'regressed' | 'escalating', nowMs: number): void {
  Object.assign(row, stateColumns('unresolved', substatus, {}, nowMs))
  row.rev += 1
}

/** Arrivals in the last five slots, the newest last. */
const countsOf = (row: IssueRow): number[] => (row.ten_counts === '' ? [] : row.ten_counts.split(',').map(Number))

/** Number of arrivals in the last five slots. */
export const tenMinuteCount = (row: IssueRow): number => countsOf(row).reduce((sum, count) => sum + count, 0)

/** Counts an arrival in the slot that begins at `slot`. Ignores arrivals older than the slots. */
function countInSlot(row: IssueRow, slot: number): void {
  const slotsPassed = (slot - row.ten_ms) / slotMs
  if (slotsPassed === 0 && row.ten_counts !== '') {
    // Nearly all arrivals: only the last number changes, and a flood would parse the others thousands of times.
    const last = row.ten_counts.lastIndexOf(',') + 1
    row.ten_counts = `${row.ten_counts.slice(0, last)}${Number(row.ten_counts.slice(last)) + 1}`
    return
  }
  const counts = countsOf(row)
  if (slotsPassed > 0) {
    counts.push(...Array<number>(Math.min(slotsPassed, slotsMax)).fill(0))
    counts.splice(0, counts.length - slotsMax)
    row.ten_ms = slot
  }
  const at = counts.length - 1 + Math.min(0, slotsPassed)
  const previous = counts[at]
  if (previous !== undefined) counts[at] = previous + 1
  row.ten_counts = counts.join(',')
}

/** Counts an arrival in the open windows. Ignores arrivals older than the windows. */
function countArrival(row: IssueRow, receivedMs: number): void {
  countInSlot(row, Math.floor(receivedMs / slotMs) * slotMs)
  const hour = Math.floor(receivedMs / hourMs) * hourMs
  if (hour > row.hour_ms) Object.assign(row, { hour_ms: hour, hour_count: 0 })
  if (hour === row.hour_ms) row.hour_count += 1
}

/** Returns how far the issue is above its forecast; undefined when it is not above, or when the forecast is unknown. */
export function escalationOf(row: IssueRow, context: Pick<IssueContext, 'limitsOf' | 'nowMs'>) {
  const tenCount = tenMinuteCount(row)
  if (tenCount <= floors.ten && row.hour_count <= floors.hour) return undefined
  // An issue with so few events before this hour needs no forecast of its own.
  const isQuiet = row.count - row.hour_count < fewEvents && row.first_seen_ms < context.nowMs - newIssueMs
  const limits = context.limitsOf(row.id) ?? (isQuiet ? silentLimits : undefined)
  const { ten_ms: slotStartMs, hour_ms: hourStartMs, hour_count: hourCount } = row
  return limits && overLimit({ slotStartMs, tenCount, hourStartMs, hourCount }, limits)
}

/** Returns whether an event reopens a resolved issue. */
function isRegression(row: IssueRow, effect: EventEffect, context: IssueContext): boolean {
  // Only events after the resolution count, not events that a client held back and sent later.
  if (row.resolved_ms === null || effect.timestampMs <= row.resolved_ms) return false
  const { inRelease } = fromJson<StatusDetails>(row.status_details)
  if (row.awaits_release !== 0) return false
  if (inRelease === undefined) return true
  // The release of an event without one is unknown.
  return effect.release !== '' && context.isLater(effect.release, inRelease)
}

/** Returns why an arrival reopens an archived issue, if it does. Conditions that need the events are due at once. */
function unarchiveReason(row: IssueRow, context: IssueContext): StateChange['data'] | undefined {
  const details = fromJson<StatusDetails>(row.status_details)
  const { ignoreCount, ignoreWindow, eventsBefore = 0 } = details
  // Check this condition first: any met condition reopens the issue, and this one needs no other store.
  if (ignoreCount !== undefined && ignoreWindow === undefined && row.count - eventsBefore >= ignoreCount)
    return { reason: 'count', count: ignoreCount }
  if (hasEventLimit(details)) {
    row.due_ms = Math.min(row.due_ms ?? context.nowMs, context.nowMs)
    return undefined
  }
  if (row.substatus !== 'archived_until_escalating') return undefined
  const over = escalationOf(row, context)
  return over && { reason: 'forecast', ...over }
}

function stateChangeOf(row: IssueRow, effect: EventEffect, context: IssueContext): StateChange | undefined {
  const { eventId, release } = effect
  const data = { eventId, ...(release === '' ? {} : { release }) }
  if (row.status === 'resolved') {
    if (!isRegression(row, effect, context)) return undefined
    changeState(row, 'regressed', context.nowMs)
    return { type: 'set_regression', alert: 'regression', data }
  }
  const over = row.status === 'ignored' ? unarchiveReason(row, context) : escalationReason(row, context)
  if (!over) return undefined
  changeState(row, 'escalating', context.nowMs)
  return { type: 'set_escalating', alert: 'escalation', data: { eventId, ...over } }
}

/** Returns how far a new or ongoing issue is above its forecast, if it is. */
function escalationReason(row: IssueRow, context: IssueContext): StateChange['data'] | undefined {
  if (row.substatus !== 'new' && row.substatus !== 'ongoing') return undefined
  const over = escalationOf(row, context)
  return over && { reason: 'forecast', ...over }
}

/** Counts one event in the stats of its issue, in place: number, times and releases. */
function countStats(row: IssueRow, effect: EventEffect): void {
  row.count += 1
  if (effect.unhandled) row.unhandled = 1
  if (effect.release !== '') {
    if (row.first_release === '' || effect.timestampMs < row.first_seen_ms) row.first_release = effect.release
    if (row.last_release === '' || effect.timestampMs >= row.last_seen_ms) row.last_release = effect.release
  }
  if (effect.timestampMs < row.first_seen_ms) row.first_seen_ms = effect.timestampMs
  if (effect.timestampMs > row.last_seen_ms) row.last_seen_ms = effect.timestampMs
}

/** Counts an arrived event in its issue, in place. Returns the state transition that it caused. */
export function countEvent(row: IssueRow, effect: EventEffect, context: IssueContext): StateChange | undefined {
  countStats(row, effect)
  changeCounts(row, effect.diagnostics, 1)
  countArrival(row, effect.receivedMs)
  return stateChangeOf(row, effect, context)
}

/**
 * Counts an event that moves here from another issue. It can reopen a resolved issue, but it is not an arrival. The
 * caller adds its diagnostics here and subtracts them from the other issue.
 */
export function countMoved(row: IssueRow, effect: EventEffect, context: IssueContext): StateChange | undefined {
  countStats(row, effect)
  return row.status === 'resolved' ? stateChangeOf(row, effect, context) : undefined
}

/** Returns whether a release comes after `afterRelease` ('': any release does). A patch of an old version does not. */
export const isNext = (version: string, afterRelease: string, context: Pick<IssueContext, 'isLater'>): boolean =>
  afterRelease === '' || context.isLater(version, afterRelease)

/** The release that the awaited next release must follow. */
export const afterOf = (row: Pick<IssueRow, 'status_details'>): string =>
  fromJson<StatusDetails>(row.status_details).afterRelease ?? ''

/** Resolves an issue in the project's next release, in place. Returns false if it did not wait for this release. */
export function settleNext(row: IssueRow, version: string, context: IssueContext): boolean {
  if (row.awaits_release !== 1 || row.status !== 'resolved') return false
  if (!isNext(version, afterOf(row), context)) return false
  row.awaits_release = 0
  row.status_details = JSON.stringify({ inRelease: version } satisfies StatusDetails)
  row.rev += 1
  return true
}

/** Resolves an issue in the release with its commit, in place. Returns false if `has` knows no awaited commit. */
export async function settleCommit(
  row: IssueRow,
  version: string,
  has: (inCommit: NonNullable<StatusDetails['inCommit']>) => Promise<boolean>,
): Promise<boolean> {
  const { inCommit } = fromJson<StatusDetails>(row.status_details)
  if (row.awaits_release !== 2 || row.status !== 'resolved' || !inCommit || !(await has(inCommit))) return false
  row.awaits_release = 0
  row.status_details = JSON.stringify({ inRelease: version, inCommit } satisfies StatusDetails)
  row.rev += 1
  return true
}
