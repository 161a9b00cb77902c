import { describe, expect, test } from 'vitest'
import type { Plan } from '../../../contract/explore/explore.ts'
import { codeOf } from '../fixture.cases.ts'
import type { MetaStore } from '../meta-store.ts'

const plan: Plan = {
  dataset: 'logs',
  query: 'level:error',
  columns: [],
  groupBy: ['service'],
  series: [{ name: 'a', aggregate: 'count()' }],
  formulas: [],
  order: '',
  limit: 100,
}
const scope = { projects: ['1'], environments: ['dev'], span: '24h' }
const own = { organizationId: 1, userId: 'ann', name: 'Mine', shared: false, plan, ...scope }
const request = { plan, projectIds: [1], environments: ['dev'], fromMs: 1, toMs: 2_000_000_000_000 }

/** Cases of saved queries and exports, for every meta store. */
export function exploreCases(fresh: () => Promise<MetaStore>): void {
  describe('saved queries', () => {
    test('one’s own are shown to their owner, shared ones to everybody, by name', async () => {
      const { explore, organizations } = await fresh()
      await organizations.createOrganization({ slug: 'other', name: 'Other', ownerUserId: 'ann' })
      const mine = await explore.saveQuery(own)
      const all = await explore.saveQuery({ ...own, name: 'All', shared: true })
      await explore.saveQuery({ ...own, userId: 'bob', name: 'Bob’s' })
      await explore.saveQuery({ ...own, organizationId: 2 })
      expect(await explore.savedQueriesOf(1, 'ann')).toEqual([all, mine])
      expect(await explore.savedQueriesOf(1, 'eve')).toEqual([all])
      expect(await explore.savedQueryById(mine.id)).toEqual(mine)
      expect(mine).toMatchObject({ ...own, rev: 0 })
    })

    test('change in part; an older revision, a taken name and a wrong value are refused', async () => {
      const { explore } = await fresh()
      const { id } = await explore.saveQuery(own)
      await explore.saveQuery({ ...own, name: 'Other' })
      expect(await explore.updateQuery(id, { plan: { ...plan, limit: 7 } }, 0)).toMatchObject({
        name: 'Mine',
        plan: { limit: 7 },
        rev: 1,
      })
      expect(await codeOf(() => explore.updateQuery(id, { span: '' }, 0))).toBe('CONFLICT')
      expect(await codeOf(() => explore.updateQuery(id, { name: 'OTHER' }))).toBe('CONFLICT')
      expect(await codeOf(() => explore.updateQuery(id, { name: ' \n ' }))).toBe('VALIDATION')
      expect(await codeOf(() => explore.updateQuery(id, { span: 'soon' }))).toBe('VALIDATION')
      expect(await codeOf(() => explore.updateQuery(999, { name: 'x' }))).toBe('NOT_FOUND')
      expect(await codeOf(() => explore.deleteQuery(id, 0))).toBe('CONFLICT')
      await explore.deleteQuery(id, 1)
      expect(await explore.savedQueryById(id)).toBeUndefined()
    })

    test('go with their organization, exports too', async () => {
      const meta = await fresh()
      const { id } = await meta.organizations.createOrganization({ slug: 'gone', name: 'Gone', ownerUserId: 'ann' })
      const saved = await meta.explore.saveQuery({ ...own, organizationId: id })
      const file = await meta.explore.requestExport({ organizationId: id, userId: 'ann', format: 'csv', request })
      expect(await meta.retention.organizationLeft(id)).toEqual(expect.arrayContaining(['saved_query', 'export']))
      const removal = await meta.retention.requestOrganizationRemoval({ organizationId: id, userId: 'ann' })
      await meta.retention.removeOrganization(removal.id)
      expect(await meta.explore.savedQueryById(saved.id)).toBeUndefined()
      expect(await meta.explore.exportById(file.id)).toBeUndefined()
    })
  })

  describe('exports', () => {
    test('are of one person, and keep their progress and their end', async () => {
      const { explore } = await fresh()
      const made = await explore.requestExport({ organizationId: 1, userId: 'ann', format: 'parquet', request })
      expect(made).toMatchObject({
        state: 'waiting',
        request,
        rowsDone: 0,
        rowsTotal: null,
        blobKey: '',
        endedMs: null,
      })
      expect([await explore.exportsOf(1, 'ann'), await explore.exportsOf(1, 'bob')]).toEqual([[made], []])
      expect(await explore.progressExport(made.id, { rowsDone: 5, rowsTotal: 9, bytes: 3_000_000_000 })).toBe(true)
      expect(await explore.openExportsOf()).toEqual([
        { ...made, state: 'running', rowsDone: 5, rowsTotal: 9, bytes: 3_000_000_000 },
      ])
      const end = { state: 'done', rowsDone: 9, bytes: 10, blobKey: 'exports/1/1.csv', error: '' } as const
      expect(await explore.endExport(made.id, end)).toBe(true)
      expect(await explore.endExport(made.id, end)).toBe(false)
      expect(await explore.progressExport(made.id, { rowsDone: 1, rowsTotal: 9, bytes: 1 })).toBe(false)
      expect([await explore.openExportsOf(), (await explore.exportFilesOf()).length]).toEqual([[], 1])
      await explore.dropExports(4_000_000_000_000)
      expect(await explore.exportById(made.id)).toMatchObject({ state: 'done' })
      await explore.expireExport(made.id)
      expect(await explore.exportById(made.id)).toMatchObject({ state: 'expired', blobKey: '', bytes: 0 })
      await explore.dropExports(4_000_000_000_000)
      expect(await explore.exportById(made.id)).toBeUndefined()
    })
  })
}
