import { describe, expect, test } from 'vitest'
import { noFilters } from '../../../domain/filters.ts'
import { codeOf, commit, nowMs } from '../fixture.cases.ts'
import type { MetaStore } from '../meta-store.ts'
import { type FilteredEvent, sampleDays, samplesMax } from './inbound-filters.ts'

const sample = (change: Partial<FilteredEvent> = {}): FilteredEvent => ({
  projectId: 1,
  reason: 'localhost',
  eventId: 'a'.repeat(32),
  receivedMs: nowMs,
  title: 'Error',
  why: 'localhost',
  payload: '{}',
  ...change,
})

/** Cases of inbound filters, for every meta store. */
export function filterCases(fresh: () => Promise<MetaStore>): void {
  describe('inbound filters', () => {
    test('are a project’s, changed in part, told to refine only where there are any', async () => {
      const meta = await fresh()
      expect([await meta.projects.filtersOf(1), (await meta.projects.projectSettings(1))?.filters]).toEqual([
        noFilters,
        undefined,
      ])
      await meta.projects.updateProject(1, { filters: { localhost: true, browsers: ['ie'] } })
      await meta.projects.updateProject(1, { filters: { messages: [' x* ', 'x*', ''] } })
      await meta.projects.updateProject(1, { name: 'Other' })
      const filters = { ...noFilters, localhost: true, browsers: ['ie'], messages: ['x*'] }
      expect([await meta.projects.filtersOf(1), (await meta.projects.projectSettings(1))?.filters]).toEqual([
        filters,
        filters,
      ])
      await meta.projects.updateProject(1, { filters: noFilters })
      expect(await meta.projects.projectSettings(1)).not.toHaveProperty('filters')
      expect(await codeOf(() => meta.projects.filtersOf(9))).toBe('NOT_FOUND')
    })

    test('a revision guards them, as the rest of the settings', async () => {
      const meta = await fresh()
      const { rev } = await meta.projects.updateProject(1, { filters: { localhost: true } }, { userId: 'ann', rev: 0 })
      expect(await codeOf(() => meta.projects.updateProject(1, { filters: {} }, { userId: 'ann', rev: rev - 1 }))).toBe(
        'CONFLICT',
      )
    })

    test.each([
      [{ messages: ['*'] }],
      [{ messages: ['x'.repeat(201)] }],
      [{ releases: ['a\u0007'] }],
      [{ addresses: ['10.0.0.0/33'] }],
      [{ addresses: ['example.com'] }],
    ])('%j is refused', async (filters) => {
      const meta = await fresh()
      expect(await codeOf(() => meta.projects.updateProject(1, { filters }))).toBe('VALIDATION')
      expect(await meta.projects.filtersOf(1)).toEqual(noFilters)
    })

    test('of what they dropped the newest hundred of each are kept, for a week', async () => {
      const meta = await fresh()
      const many = Array.from({ length: samplesMax + 20 }, (_, n) => sample({ title: `${n}` }))
      await commit(meta, { samples: [...many.slice(0, 60), sample({ reason: 'release_version', title: 'other' })] })
      await commit(meta, { samples: many.slice(60) })
      const titles = async () =>
        (await meta.projects.filteredEvents(1, 'localhost', 999)).map((filteredEvent) => filteredEvent.title)
      expect([(await titles()).length, (await titles())[0], (await titles()).at(-1)]).toEqual([samplesMax, '119', '20'])
      expect(await meta.projects.filteredEvents(1, 'localhost', 2)).toHaveLength(2)
      expect(await meta.projects.filteredEvents(1, 'release_version', 9)).toHaveLength(1)
      await meta.retention.prune(nowMs + (sampleDays - 1) * 86_400_000, 0, 0)
      expect(await titles()).toHaveLength(samplesMax)
      await meta.retention.prune(nowMs + (sampleDays + 1) * 86_400_000, 0, 0)
      expect(await titles()).toEqual([])
    })

    test('go with their project; what comes for one that is gone is left out', async () => {
      const meta = await fresh()
      await commit(meta, { samples: [sample(), sample({ projectId: 99 })] })
      expect(await meta.projects.filteredEvents(99, 'localhost', 9)).toEqual([])
      const { id } = await meta.retention.requestRemoval({ kind: 'project', projectId: 1, issueId: null, userId: null })
      await meta.retention.removeRows(id, 1)
      expect([await meta.projects.filteredEvents(1, 'localhost', 9), await meta.snapshots.faults()]).toEqual([[], []])
    })
  })
}
