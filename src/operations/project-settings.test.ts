import { describe, expect, test } from 'vitest'
import { commit, effect } from '../store/meta/fixture.cases.ts'
import {
  hideEnvironment,
  ownershipErrors,
  removeTombstone,
  updateFilters,
  updateOwnership,
} from './project-settings.ts'
import { endOf, operationRig } from './rig.cases.ts'

const fresh = operationRig()

/** A rig in which `ann@example.test` is the member ann. */
async function withMember() {
  const { meta, ...deps } = await fresh()
  const ann = { id: 'ann', name: 'Ann', email: 'ann@example.test' }
  const personByEmail = async (email: string) => (email === ann.email ? ann : undefined)
  return { ...deps, meta: { ...meta, people: { ...meta.people, personByEmail } } }
}

test('filters are changed by name, and only by the revision that the caller has seen', async () => {
  const { meta, ann } = await fresh()
  const before = await meta.projects.filtersOf(1)
  await updateFilters({ meta }, ann, 1, { releases: ['1.*'] }, 0)
  expect(await meta.projects.filtersOf(1)).toEqual({ ...before, releases: ['1.*'] })
  expect(await endOf(() => updateFilters({ meta }, ann, 1, { releases: [] }, 0))).toEqual(['CONFLICT', []])
  expect((await meta.projects.filtersOf(1)).releases).toEqual(['1.*'])
})

test('an environment is hidden and shown again', async () => {
  const { meta } = await fresh()
  await commit(meta, { events: [effect({ environment: 'staging' })] })
  expect(await hideEnvironment({ meta }, 1, 'staging', true)).toMatchObject({ name: 'staging', hidden: true })
  expect([...(await meta.projects.hiddenEnvironments([1]))]).toEqual(['staging'])
  expect((await hideEnvironment({ meta }, 1, 'staging', false)).hidden).toBe(false)
  expect(await endOf(() => hideEnvironment({ meta }, 1, 'none', true))).toEqual(['NOT_FOUND', []])
})

test('a tombstone is taken away by the short id of its issue', async () => {
  const taken: unknown[] = []
  await removeTombstone({ meta: { retention: { undiscard: async (...words) => void taken.push(words) } } }, 1, 'WEB-1')
  expect(taken).toEqual([[1, 'WEB-1']])
})

describe('rules of ownership', () => {
  const text = 'path:src/* ann@example.test eve@example.test\nnonsense'

  test('faults are sorted by line, and a stranger is one', async () => {
    const { meta } = await withMember()
    const faults = await ownershipErrors({ meta }, { organizationId: 1 }, text)
    expect(faults.map(({ line }) => line)).toEqual([1, 2])
    expect(faults[0]?.sentence).toBe('eve@example.test is not a member of this organization.')
    expect(await ownershipErrors({ meta }, { organizationId: 2 }, 'path:a ann@example.test')).toHaveLength(1)
  })

  test('are written as a whole, or not at all', async () => {
    const { meta, clock, ann } = await withMember()
    const project = { id: 1, organizationId: 1 }
    expect(await endOf(() => updateOwnership({ meta, clock }, ann, project, { text }))).toEqual(['VALIDATION', ['raw']])
    expect((await meta.projects.ownershipOf(1)).text).toBe('')
    const good = 'path:src/* ann@example.test'
    expect(await updateOwnership({ meta, clock }, ann, project, { text: good, autoAssign: true }, 0)).toMatchObject({
      text: good,
      autoAssign: true,
      changedBy: 'ann',
    })
    expect((await updateOwnership({ meta, clock }, ann, project, { autoAssign: false })).text).toBe(good)
    expect(await endOf(() => updateOwnership({ meta, clock }, ann, project, { text: '' }, 0))).toEqual(['CONFLICT', []])
  })
})
