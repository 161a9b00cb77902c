import { MishapError } from '../../../base/errors.ts'
import { type FilterReason, isOldBrowser, noFilters, type ProjectFilters } from '../../../domain/filters.ts'
import { rowInsert, rowStatement } from '../database/row-statement.ts'
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
export function sampleWriter(store: Store): (samples: readonly FilteredEvent[]) => Promise<void> {
  const { builder } = store.dialect
  const insert = rowInsert(store, 'filtered_event', {
    project_id: 'integer',
    reason: 'text',
    event_id: 'text',
    received_ms: 'integer',
    title: 'text',
    why: 'text',
    payload: 'text',
  })
  const deleteOlder = rowStatement(store, { project_id: 'integer', reason: 'text' }, (input) => {
    const ranked = builder
      .selectFrom(input)
      .innerJoin('filtered_event', (join) =>
        join
          .onRef('filtered_event.project_id', '=', 'input.project_id')
          .onRef('filtered_event.reason', '=', 'input.reason'),
      )
      .select('filtered_event.id')
      .select(({ fn }) =>
        fn
          .agg<number>('row_number')
          .over((over) =>
            over
              .partitionBy(['filtered_event.project_id', 'filtered_event.reason'])
              .orderBy('filtered_event.id', 'desc'),
          )
          .as('place'),
      )
    const older = builder.selectFrom(ranked.as('ranked')).select('ranked.id').where('ranked.place', '>', samplesMax)
    return builder.deleteFrom('filtered_event').where('id', 'in', older)
  })
  return async (samples) => {
    const groups = Map.groupBy(samples, ({ projectId, reason }) => `${projectId} ${reason}`)
    const newest = [...groups.values()].map((group) => group.slice(-samplesMax))
    await insert.run(
      newest.flat().map(({ projectId, eventId, receivedMs, ...sample }) => ({
        project_id: projectId,
        reason: sample.reason,
        event_id: eventId,
        received_ms: receivedMs,
        title: sample.title,
        why: sample.why,
        payload: sample.payload,
      })),
    )
    await deleteOlder.run(
      newest.flatMap(([first]) => (first ? { project_id: first.projectId, reason: first.reason } : [])),
    )
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
