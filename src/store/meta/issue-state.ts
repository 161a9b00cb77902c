import type { Selectable } from 'kysely'
import type { EventEffect } from './meta.ts'
import type { Tables } from './tables.ts'

/** An issue while a batch works on it. */
export type IssueRow = Selectable<Tables['issue']>

/** Free text looks into the beginning of titles and values only; longer ones would make each search read megabytes. */
const searchCharactersMax = 1_000

/** What an issue shows of its latest event; worked out once a batch, for the last one only. */
export const latestTexts = (effect: EventEffect) => {
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

/** The issue that an event with unknown hashes begins, before that event is counted in. */
export function beginIssue(effect: EventEffect, organizationId: number, shortId: string): Omit<IssueRow, 'id'> {
  return {
    organization_id: organizationId,
    project_id: effect.projectId,
    short_id: shortId,
    kind: effect.kind,
    ...latestTexts(effect),
    status: 'unresolved',
    substatus: 'new',
    status_details: '{}',
    resolved_ms: null,
    assignee_user_id: null,
    first_seen_ms: effect.timestampMs,
    last_seen_ms: effect.timestampMs,
    count: 0,
    first_release: effect.release,
    last_release: effect.release,
    unhandled: Number(effect.unhandled),
    comments: 0,
    rev: 0,
  }
}

/**
 * Counts one event into its issue, in place. Returns true when the event brought a resolved issue back:
 * only an event later than the resolution does, not one that a client held back and sends after it.
 */
export function countEvent(row: IssueRow, effect: EventEffect): boolean {
  row.count += 1
  if (effect.unhandled) row.unhandled = 1
  if (effect.release !== '') {
    if (row.first_release === '' || effect.timestampMs < row.first_seen_ms) row.first_release = effect.release
    if (row.last_release === '' || effect.timestampMs >= row.last_seen_ms) row.last_release = effect.release
  }
  if (effect.timestampMs < row.first_seen_ms) row.first_seen_ms = effect.timestampMs
  if (effect.timestampMs > row.last_seen_ms) row.last_seen_ms = effect.timestampMs
  if (row.status !== 'resolved' || row.resolved_ms === null || effect.timestampMs <= row.resolved_ms) return false
  row.status = 'unresolved'
  row.substatus = 'regressed'
  row.status_details = '{}'
  row.resolved_ms = null
  row.rev += 1
  return true
}
