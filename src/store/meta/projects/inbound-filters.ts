import { MishapError } from '../../../base/errors.ts'
import { type FilterReason, isOldBrowser, noFilters, type ProjectFilters } from '../../../domain/filters.ts'
import type { Store } from '../database/store.ts'
import { checkNetworks, checkPatterns } from './setting-lists.ts'

/** A sample of the filtered events. Its payload is scrubbed like that of a stored event. */
export type FilteredEvent = {
  projectId: number
  reason: FilterReason
  eventId: string
  receivedMs: number
  title: string
  /** What matched the filter: the pattern, the browser or the address. */
  why: string
  /** The normalized event as JSON; '' when it was too large to store. */
  payload: string
}

export type FilterStore = {
  /** Throws NOT_FOUND. */
  filtersOf(projectId: number): Promise<ProjectFilters>
  /** The newest samples of a filter. */
  filteredEvents(projectId: number, reason: FilterReason, max: number): Promise<FilteredEvent[]>
}

/** Maximum samples per filter of a project, and how long they are stored. */
export const samplesMax = 100
export const sampleDays = 7

/** Parses stored filters. Fields that an older version did not write get their defaults. */
export function readFilters(text: string): ProjectFilters {
  return { ...noFilters, ...(JSON.parse(text) as Partial<ProjectFilters>) }
}

/** Returns whether all filters are off. */
export const isInactive = (filters: ProjectFilters): boolean =>
  Object.values(filters).every((filter) => filter === false || (Array.isArray(filter) && filter.length === 0))

/** Applies a change and returns the filters as text. Throws VALIDATION with the field and the first invalid entry. */
export function writeFilters(before: string, change: Partial<ProjectFilters>): string {
  const next = { ...readFilters(before), ...change }
  const checked: ProjectFilters = {
    ...next,
    browsers: [...new Set(next.browsers)].filter(isOldBrowser),
    messages: checkPatterns(next.messages, 'messages'),
    releases: checkPatterns(next.releases, 'releases'),
    addresses: checkNetworks(next.addresses, 'addresses'),
    cspSources: checkPatterns(next.cspSources, 'cspSources'),
  }
  return JSON.stringify(checked)
}

/** Creates the writer of samples, which stores the newest 100 of each filter. The caller opens the transaction. */
export function sampleWriter({
  write,
  dialect: { builder },
}: Store): (samples: readonly FilteredEvent[]) => Promise<void> {
  return async (samples) => {
    const groups = new Map<string, FilteredEvent[]>()
    for (const sample of samples) {
      const key = `${sample.projectId} ${sample.reason}`
      groups.set(key, [...(groups.get(key) ?? []), sample].slice(-samplesMax))
    }
    for (const group of groups.values()) {
      const [first] = group
      // A project that was deleted meanwhile has no row to refer to.
      const has =
        first && (await write.get(builder.selectFrom('project').select('id').where('id', '=', first.projectId)))
      if (!first || !has) continue
      for (const item of group)
        await write.run(
          builder.insertInto('filtered_event').values({
            project_id: item.projectId,
            reason: item.reason,
            event_id: item.eventId,
            received_ms: item.receivedMs,
            title: item.title,
            why: item.why,
            payload: item.payload,
          }),
        )
      const own = builder
        .selectFrom('filtered_event')
        .select('id')
        .where('project_id', '=', first.projectId)
        .where('reason', '=', first.reason)
        .orderBy('id', 'desc')
      const oldest = await write.get(own.offset(samplesMax).limit(1))
      if (oldest)
        await write.run(
          builder
            .deleteFrom('filtered_event')
            .where('project_id', '=', first.projectId)
            .where('reason', '=', first.reason)
            .where('id', '<=', oldest.id),
        )
    }
  }
}

/** Implements lookups of filters and samples. */
export function filterPart({ read, dialect: { builder } }: Store): FilterStore {
  return {
    filtersOf: async (projectId) => {
      const row = await read.get(builder.selectFrom('project').select('filters').where('id', '=', projectId))
      if (!row) throw new MishapError('NOT_FOUND')
      return readFilters(row.filters)
    },
    filteredEvents: async (projectId, reason, max) =>
      (
        await read.all(
          builder
            .selectFrom('filtered_event')
            .selectAll()
            .where('project_id', '=', projectId)
            .where('reason', '=', reason)
            .orderBy('id', 'desc')
            .limit(max),
        )
      ).map((row) => ({
        projectId,
        reason,
        eventId: row.event_id,
        receivedMs: row.received_ms,
        title: row.title,
        why: row.why,
        payload: row.payload,
      })),
  }
}
