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
export function filterCases(fresh: () => MetaStore): void {
  describe('inbound filters', () => {
    test('are a project’s, changed in part, told to refine only where there are any', () => {
      const meta = fresh()
      expect([meta.filtersOf(1), meta.projectSettings(1)?.filters]).toEqual([noFilters, undefined])
      meta.updateProject(1, { filters: { localhost: true, browsers: ['ie'] } })
      meta.updateProject(1, { filters: { messages: [' x* ', 'x*', ''] } })
      meta.updateProject(1, { name: 'Other' })
      const filters = { ...noFilters, localhost: true, browsers: ['ie'], messages: ['x*'] }
      expect([meta.filtersOf(1), meta.projectSettings(1)?.filters]).toEqual([filters, filters])
      meta.updateProject(1, { filters: noFilters })
      expect(meta.projectSettings(1)).not.toHaveProperty('filters')
      expect(codeOf(() => meta.filtersOf(9))).toBe('NOT_FOUND')
    })

    test('a revision guards them, as the rest of the settings', () => {
      const meta = fresh()
      const { rev } = meta.updateProject(1, { filters: { localhost: true } }, { userId: 'ann', rev: 0 })
      expect(codeOf(() => meta.updateProject(1, { filters: {} }, { userId: 'ann', rev: rev - 1 }))).toBe('CONFLICT')
    })

    test.each([
      [{ messages: ['*'] }],
      [{ messages: ['x'.repeat(201)] }],
      [{ releases: ['a\u0007'] }],
      [{ addresses: ['10.0.0.0/33'] }],
      [{ addresses: ['example.com'] }],
    ])('%j is refused', (filters) => {
      const meta = fresh()
      expect(codeOf(() => meta.updateProject(1, { filters }))).toBe('VALIDATION')
      expect(meta.filtersOf(1)).toEqual(noFilters)
    })

    test('of what they dropped the newest hundred of each are kept, for a week', () => {
      const meta = fresh()
      const many = Array.from({ length: samplesMax + 20 }, (_, n) => sample({ title: `${n}` }))
      commit(meta, { samples: [...many.slice(0, 60), sample({ reason: 'release_version', title: 'other' })] })
      commit(meta, { samples: many.slice(60) })
      const titles = () => meta.filteredEvents(1, 'localhost', 999).map((filteredEvent) => filteredEvent.title)
      expect([titles().length, titles()[0], titles().at(-1)]).toEqual([samplesMax, '119', '20'])
      expect(meta.filteredEvents(1, 'localhost', 2)).toHaveLength(2)
      expect(meta.filteredEvents(1, 'release_version', 9)).toHaveLength(1)
      meta.prune(nowMs + (sampleDays - 1) * 86_400_000, 0, 0)
      expect(titles()).toHaveLength(samplesMax)
      meta.prune(nowMs + (sampleDays + 1) * 86_400_000, 0, 0)
      expect(titles()).toEqual([])
    })

    test('go with their project; what comes for one that is gone is left out', () => {
      const meta = fresh()
      commit(meta, { samples: [sample(), sample({ projectId: 99 })] })
      expect(meta.filteredEvents(99, 'localhost', 9)).toEqual([])
      const { id } = meta.requestRemoval({ kind: 'project', projectId: 1, issueId: null, userId: null })
      meta.removeRows(id, 1)
      expect([meta.filteredEvents(1, 'localhost', 9), meta.faults()]).toEqual([[], []])
    })
  })
}
