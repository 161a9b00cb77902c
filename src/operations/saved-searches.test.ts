import { expect, test } from 'vitest'
import { endOf, operationRig } from './rig.cases.ts'
import { createSearch, deleteSearch, updateSearch } from './saved-searches.ts'

const fresh = operationRig()
const view = { query: 'is:unresolved', sort: 'date', projects: [], environments: [], span: '', columns: [], facets: [] }
const value = { organizationId: 1, scope: 'issues' as const, userId: 'ann', name: 'Mine', shared: false, ...view }

test('a view is saved, changed and deleted by the revision that the caller has seen', async () => {
  const { meta } = await fresh()
  const { id, rev } = await createSearch({ meta }, value)
  expect(await endOf(() => createSearch({ meta }, value))).toMatchObject(['CONFLICT', expect.anything()])
  expect(await updateSearch({ meta }, id, { name: 'Ours', shared: true }, rev)).toMatchObject({
    name: 'Ours',
    shared: true,
  })
  expect((await endOf(() => updateSearch({ meta }, id, { name: 'Again' }, rev)))[0]).toBe('CONFLICT')
  expect((await endOf(() => deleteSearch({ meta }, id, rev)))[0]).toBe('CONFLICT')
  await deleteSearch({ meta }, id, rev + 1)
  expect(await meta.issues.savedSearchById(id)).toBeUndefined()
})
