import { describe, expect, test } from 'vitest'
import { codeOf } from '../fixture.cases.ts'
import type { MetaStore } from '../meta-store.ts'
import { searchesMax } from './searches.ts'

const view = {
  query: 'is:unresolved level:error',
  sort: 'events',
  projects: ['1'],
  environments: ['dev'],
  span: '24h',
  columns: [],
  facets: [],
}
const own = { organizationId: 1, scope: 'issues' as const, userId: 'ann', name: 'Mine', shared: false, ...view }

/** Cases of saved views, for every meta store. */
export function searchCases(fresh: () => Promise<MetaStore>): void {
  describe('saved views', () => {
    test('one’s own are shown to their owner, shared ones to everybody, by name', async () => {
      const meta = await fresh()
      await meta.organizations.createOrganization({ slug: 'other', name: 'Other', ownerUserId: 'ann' })
      const mine = await meta.issues.saveSearch(own)
      const all = await meta.issues.saveSearch({ ...own, name: 'All', shared: true })
      await meta.issues.saveSearch({ ...own, userId: 'bob', name: 'Bob’s' })
      await meta.issues.saveSearch({ ...own, organizationId: 2 })
      expect(await meta.issues.savedSearches(1, 'ann', 'issues')).toEqual([all, mine])
      expect(await meta.issues.savedSearches(1, 'eve', 'issues')).toEqual([all])
      expect(await meta.issues.savedSearchById(mine.id)).toEqual({
        ...own,
        id: mine.id,
        createdMs: mine.createdMs,
        rev: 0,
      })
      await meta.issues.deleteSearch(all.id)
      expect([await meta.issues.savedSearches(1, 'eve', 'issues'), await meta.issues.savedSearchById(all.id)]).toEqual([
        [],
        undefined,
      ])
    })

    test('change in part; a change for an older revision is refused', async () => {
      const meta = await fresh()
      const { id } = await meta.issues.saveSearch(own)
      expect(await meta.issues.updateSearch(id, { query: 'x', span: '' }, 0)).toMatchObject({
        ...own,
        query: 'x',
        span: '',
        rev: 1,
      })
      expect(await meta.issues.updateSearch(id, { shared: true })).toMatchObject({ shared: true, rev: 2 })
      expect(await codeOf(() => meta.issues.updateSearch(id, { query: 'y' }, 1))).toBe('CONFLICT')
      expect(await codeOf(() => meta.issues.updateSearch(99, { query: 'y' }))).toBe('NOT_FOUND')
      expect((await meta.issues.savedSearchById(id))?.query).toBe('x')
    })

    test('views of traces are apart, and each list of a person can open with one', async () => {
      const meta = await fresh()
      const { issues } = meta
      const stream = await issues.saveSearch(own)
      const traces = { ...own, scope: 'traces' as const, sort: 'slowest' }
      const slow = await issues.saveSearch(traces)
      const shared = await issues.saveSearch({ ...traces, userId: 'bob', shared: true })
      expect(await issues.savedSearches(1, 'ann', 'traces')).toEqual([slow, shared])
      expect(await issues.savedSearches(1, 'ann', 'issues')).toEqual([stream])
      await issues.setDefaultSearch(slow, 'ann', true)
      await issues.setDefaultSearch(stream, 'ann', true)
      expect((await issues.defaultSearchesOf(1, 'ann')).sort()).toEqual([stream.id, slow.id].sort())
      await issues.setDefaultSearch(shared, 'ann', true)
      // Another view than the default ends nothing.
      await issues.setDefaultSearch(slow, 'ann', false)
      expect((await issues.defaultSearchesOf(1, 'ann')).sort()).toEqual([stream.id, shared.id].sort())
      expect(await issues.defaultSearchesOf(1, 'bob')).toEqual([])
      await Promise.all([slow, shared, slow, shared].map((view) => issues.setDefaultSearch(view, 'cleo', true)))
      expect(await issues.defaultSearchesOf(1, 'cleo')).toHaveLength(1)
      await issues.deleteSearch(shared.id)
      expect(await codeOf(() => issues.setDefaultSearch(shared, 'ann', true))).toBe('NOT_FOUND')
      await issues.setDefaultSearch(stream, 'ann', false)
      expect(await issues.defaultSearchesOf(1, 'ann')).toEqual([])
    })

    test('views of logs keep their columns, each once, in their order', async () => {
      const { issues } = await fresh()
      const logs = { ...own, scope: 'logs' as const, sort: 'lines', columns: ['service', 'cart.id', 'service'] }
      const saved = await issues.saveSearch(logs)
      expect(saved.columns).toEqual(['service', 'cart.id'])
      expect(await issues.savedSearches(1, 'ann', 'logs')).toEqual([saved])
      expect((await issues.updateSearch(saved.id, { query: 'x' })).columns).toEqual(['service', 'cart.id'])
      // Names that this version does not know stay.
      await issues.updateSearch(saved.id, { columns: ['count()', 'host'] })
      expect((await issues.savedSearchById(saved.id))?.columns).toEqual(['count()', 'host'])
      for (const columns of [['a,b'], [''], ['x'.repeat(201)], ['a', 'b', 'c', 'd', 'e', 'f', 'g']])
        expect(await codeOf(() => issues.updateSearch(saved.id, { columns }))).toBe('VALIDATION')
      expect((await issues.updateSearch(saved.id, { columns: [] })).columns).toEqual([])
    })

    test('views of logs keep the facets that a reader added, each once', async () => {
      const { issues } = await fresh()
      const logs = { ...own, scope: 'logs' as const, sort: 'lines', facets: ['cart.id', 'body.a', 'cart.id'] }
      const saved = await issues.saveSearch(logs)
      expect((await issues.savedSearchById(saved.id))?.facets).toEqual(['cart.id', 'body.a'])
      expect((await issues.updateSearch(saved.id, { columns: ['host'] })).facets).toEqual(['cart.id', 'body.a'])
      for (const facets of [['a,b'], [''], ['a', 'b', 'c', 'd', 'e', 'f']])
        expect(await codeOf(() => issues.updateSearch(saved.id, { facets }))).toBe('VALIDATION')
    })

    test('a name stands once among one’s own, and once among the shared ones', async () => {
      const meta = await fresh()
      const { id } = await meta.issues.saveSearch(own)
      expect(await codeOf(() => meta.issues.saveSearch({ ...own, name: ' mine ' }))).toBe('CONFLICT')
      const other = await meta.issues.saveSearch({ ...own, userId: 'bob' })
      const shared = await meta.issues.saveSearch({ ...own, shared: true })
      expect(await codeOf(() => meta.issues.updateSearch(other.id, { shared: true }))).toBe('CONFLICT')
      expect((await meta.issues.updateSearch(id, { name: 'MINE' })).name).toBe('MINE')
      expect((await meta.issues.updateSearch(shared.id, { name: 'Ours' })).name).toBe('Ours')
    })

    test.each<[string, object]>([
      ['no name', { name: ' ' }],
      ['a long name', { name: 'x'.repeat(65) }],
      ['a name of control characters', { name: 'a\nb' }],
      ['a long query', { query: 'x'.repeat(4097) }],
      ['many projects', { projects: Array.from({ length: 101 }, (_, i) => `p${i}`) }],
      ['a long environment', { environments: ['x'.repeat(65)] }],
      ['a span that is none', { span: 'yesterday' }],
      ['columns of a list that has none', { columns: ['service'] }],
      ['facets of a list that has none', { facets: ['service'] }],
    ])('%s is refused', async (_name, change) => {
      const meta = await fresh()
      expect(await codeOf(() => meta.issues.saveSearch({ ...own, ...change }))).toBe('VALIDATION')
      const { id } = await meta.issues.saveSearch(own)
      expect(await codeOf(() => meta.issues.updateSearch(id, change))).toBe('VALIDATION')
    })

    test('are bounded for a person, and go with their organization', async () => {
      const meta = await fresh()
      for (let n = 0; n < searchesMax; n++) await meta.issues.saveSearch({ ...own, name: `view ${n}` })
      expect(await codeOf(() => meta.issues.saveSearch(own))).toBe('CONFLICT')
      await meta.issues.saveSearch({ ...own, shared: true, span: '2026-01-01T00:00:00Z/2026-01-02T00:00:00Z' })
      const { id } = await meta.organizations.createOrganization({ slug: 'gone', name: 'Gone', ownerUserId: 'ann' })
      const saved = await meta.issues.saveSearch({ ...own, organizationId: id })
      const removal = await meta.retention.requestOrganizationRemoval({ organizationId: id, userId: 'ann' })
      expect(await meta.retention.organizationLeft(id)).toContain('saved_search')
      await meta.retention.removeOrganization(removal.id)
      expect([await meta.issues.savedSearchById(saved.id), await meta.retention.organizationLeft(id)]).toEqual([
        undefined,
        [],
      ])
    })
  })
}
