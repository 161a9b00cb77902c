import { describe, expect, test } from 'vitest'
import { codeOf, nowMs } from '../fixture.cases.ts'
import type { MetaStore } from '../meta-store.ts'
import { contentCharactersMax, dashboardsMax, revisionsMax } from './dashboards.ts'

const own = { organizationId: 1, userId: 'ann', title: 'Mine', shared: false, content: '{"widgets":[]}' }

/** Cases of dashboards, for every meta store. */
export function dashboardCases(fresh: () => Promise<MetaStore>): void {
  describe('dashboards', () => {
    test('one’s own are shown to their owner, shared ones to everybody, by title', async () => {
      const { dashboards, organizations } = await fresh()
      await organizations.createOrganization({ slug: 'other', name: 'Other', ownerUserId: 'ann' })
      const mine = await dashboards.createDashboard(own)
      const all = await dashboards.createDashboard({ ...own, title: 'All', shared: true })
      await dashboards.createDashboard({ ...own, userId: 'bob' })
      await dashboards.createDashboard({ ...own, organizationId: 2 })
      expect(await dashboards.listDashboards(1, 'ann')).toEqual([all, mine])
      expect(await dashboards.listDashboards(1, 'eve')).toEqual([all])
      expect(await dashboards.dashboardById(mine.id)).toEqual({
        ...own,
        id: mine.id,
        createdMs: nowMs,
        rev: 0,
        changedMs: null,
        changedBy: null,
      })
      await dashboards.deleteDashboard(mine.id)
      expect(await dashboards.dashboardById(mine.id)).toBeUndefined()
    })

    test('a change keeps the state before it; one for an older revision is refused', async () => {
      const { dashboards } = await fresh()
      const { id } = await dashboards.createDashboard(own)
      const changed = await dashboards.updateDashboard(id, { title: ' New ', content: '{"widgets":[1]}' }, 'bob', 0)
      expect(changed).toMatchObject({
        title: 'New',
        content: '{"widgets":[1]}',
        shared: false,
        rev: 1,
        changedBy: 'bob',
      })
      expect(await codeOf(() => dashboards.updateDashboard(id, { title: 'X' }, 'eve', 0))).toBe('CONFLICT')
      expect(await codeOf(() => dashboards.deleteDashboard(id, 0))).toBe('CONFLICT')
      expect(await codeOf(() => dashboards.updateDashboard(999, { title: 'X' }, 'eve'))).toBe('NOT_FOUND')
      await dashboards.updateDashboard(id, { shared: true }, null)
      expect(await dashboards.listDashboardRevisions(id)).toEqual([
        { rev: 1, title: 'New', content: '{"widgets":[1]}', userId: 'bob', atMs: nowMs },
        { rev: 0, title: 'Mine', content: own.content, userId: 'ann', atMs: nowMs },
      ])
      await dashboards.deleteDashboard(id, 2)
      expect(await dashboards.listDashboardRevisions(id)).toEqual([])
    })

    test('only the newest revisions are kept', async () => {
      const { dashboards } = await fresh()
      const { id } = await dashboards.createDashboard(own)
      for (let at = 0; at < revisionsMax + 3; at++) await dashboards.updateDashboard(id, { title: `T${at}` }, 'ann')
      const kept = (await dashboards.listDashboardRevisions(id)).map(({ rev }) => rev)
      expect([kept.length, kept[0], kept.at(-1)]).toEqual([revisionsMax, revisionsMax + 2, 3])
    })

    test('refuses bad titles, too much content and too many dashboards', async () => {
      const { dashboards } = await fresh()
      for (const title of ['', '  ', 'a\nb', 'x'.repeat(121)])
        expect(await codeOf(() => dashboards.createDashboard({ ...own, title }))).toBe('VALIDATION')
      const content = 'x'.repeat(contentCharactersMax + 1)
      expect(await codeOf(() => dashboards.createDashboard({ ...own, content }))).toBe('VALIDATION')
      for (let at = 0; at < dashboardsMax; at++) await dashboards.createDashboard({ ...own, title: `T${at}` })
      expect(await codeOf(() => dashboards.createDashboard(own))).toBe('CONFLICT')
      const shared = await dashboards.createDashboard({ ...own, shared: true })
      expect(await codeOf(() => dashboards.updateDashboard(shared.id, { shared: false }, 'ann'))).toBe('CONFLICT')
    })

    test('favourites are one’s own, and end with the dashboard', async () => {
      const { dashboards } = await fresh()
      const { id } = await dashboards.createDashboard({ ...own, shared: true })
      for (const name of [String(id), 'health', String(id)])
        await dashboards.setFavouriteDashboard(1, 'ann', name, true)
      expect((await dashboards.favouriteDashboardsOf(1, 'ann')).sort()).toEqual([String(id), 'health'].sort())
      expect(await dashboards.favouriteDashboardsOf(1, 'bob')).toEqual([])
      await dashboards.deleteDashboard(id)
      expect(await dashboards.favouriteDashboardsOf(1, 'ann')).toEqual(['health'])
      await dashboards.setFavouriteDashboard(1, 'ann', 'health', false)
      expect(await dashboards.favouriteDashboardsOf(1, 'ann')).toEqual([])
    })
  })
}
