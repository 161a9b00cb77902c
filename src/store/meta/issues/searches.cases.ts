import { describe, expect, test } from 'vitest'
import { codeOf } from '../fixture.cases.ts'
import type { MetaStore } from '../meta-store.ts'
import { searchesMax } from './searches.ts'

const view = { query: 'is:unresolved level:error', sort: 'events', projects: ['1'], environments: ['dev'], span: '24h' }
const own = { organizationId: 1, userId: 'ann', name: 'Mine', shared: false, ...view }

/** Cases of saved views, for every meta store. */
export function searchCases(fresh: () => Promise<MetaStore>): void {
  describe('saved views', () => {
    test('one’s own are shown to their owner, shared ones to everybody, by name', async () => {
      const meta = await fresh()
      await meta.createOrganization({ slug: 'other', name: 'Other', ownerUserId: 'ann' })
      const mine = await meta.saveSearch(own)
      const all = await meta.saveSearch({ ...own, name: 'All', shared: true })
      await meta.saveSearch({ ...own, userId: 'bob', name: 'Bob’s' })
      await meta.saveSearch({ ...own, organizationId: 2 })
      expect(await meta.savedSearches(1, 'ann')).toEqual([all, mine])
      expect(await meta.savedSearches(1, 'eve')).toEqual([all])
      expect(await meta.savedSearchById(mine.id)).toEqual({ ...own, id: mine.id, createdMs: mine.createdMs, rev: 0 })
      await meta.deleteSearch(all.id)
      expect([await meta.savedSearches(1, 'eve'), await meta.savedSearchById(all.id)]).toEqual([[], undefined])
    })

    test('change in part; a change for an older revision is refused', async () => {
      const meta = await fresh()
      const { id } = await meta.saveSearch(own)
      expect(await meta.updateSearch(id, { query: 'x', span: '' }, 0)).toMatchObject({
        ...own,
        query: 'x',
        span: '',
        rev: 1,
      })
      expect(await meta.updateSearch(id, { shared: true })).toMatchObject({ shared: true, rev: 2 })
      expect(await codeOf(() => meta.updateSearch(id, { query: 'y' }, 1))).toBe('CONFLICT')
      expect(await codeOf(() => meta.updateSearch(99, { query: 'y' }))).toBe('NOT_FOUND')
      expect((await meta.savedSearchById(id))?.query).toBe('x')
    })

    test('a name stands once among one’s own, and once among the shared ones', async () => {
      const meta = await fresh()
      const { id } = await meta.saveSearch(own)
      expect(await codeOf(() => meta.saveSearch({ ...own, name: ' mine ' }))).toBe('CONFLICT')
      const other = await meta.saveSearch({ ...own, userId: 'bob' })
      const shared = await meta.saveSearch({ ...own, shared: true })
      expect(await codeOf(() => meta.updateSearch(other.id, { shared: true }))).toBe('CONFLICT')
      expect((await meta.updateSearch(id, { name: 'MINE' })).name).toBe('MINE')
      expect((await meta.updateSearch(shared.id, { name: 'Ours' })).name).toBe('Ours')
    })

    test.each<[string, object]>([
      ['no name', { name: ' ' }],
      ['a long name', { name: 'x'.repeat(65) }],
      ['a name of control characters', { name: 'a\nb' }],
      ['a long query', { query: 'x'.repeat(4097) }],
      ['many projects', { projects: Array.from({ length: 101 }, (_, i) => `p${i}`) }],
      ['a long environment', { environments: ['x'.repeat(65)] }],
      ['a span that is none', { span: 'yesterday' }],
    ])('%s is refused', async (_name, change) => {
      const meta = await fresh()
      expect(await codeOf(() => meta.saveSearch({ ...own, ...change }))).toBe('VALIDATION')
      const { id } = await meta.saveSearch(own)
      expect(await codeOf(() => meta.updateSearch(id, change))).toBe('VALIDATION')
    })

    test('are bounded for a person, and go with their organization', async () => {
      const meta = await fresh()
      for (let n = 0; n < searchesMax; n++) await meta.saveSearch({ ...own, name: `view ${n}` })
      expect(await codeOf(() => meta.saveSearch(own))).toBe('CONFLICT')
      await meta.saveSearch({ ...own, shared: true, span: '2026-01-01T00:00:00Z/2026-01-02T00:00:00Z' })
      const { id } = await meta.createOrganization({ slug: 'gone', name: 'Gone', ownerUserId: 'ann' })
      const saved = await meta.saveSearch({ ...own, organizationId: id })
      const removal = await meta.requestOrganizationRemoval({ organizationId: id, userId: 'ann' })
      expect(await meta.organizationLeft(id)).toContain('saved_search')
      await meta.removeOrganization(removal.id)
      expect([await meta.savedSearchById(saved.id), await meta.organizationLeft(id)]).toEqual([undefined, []])
    })
  })
}
