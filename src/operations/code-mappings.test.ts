import { describe, expect, test } from 'vitest'
import { deleteCodeMapping, putCodeMapping, updateCodeMapping, uploadCodeMappings } from './code-mappings.ts'
import { endOf, operationRig } from './rig.cases.ts'

const fresh = operationRig()
const values = { stackRoot: 'app/', sourceRoot: 'src/', defaultBranch: '' }

async function rig() {
  const deps = await fresh()
  const project = await deps.meta.projects.projectBySlug(1, 'web')
  if (!project) throw new Error('no project')
  const put = { organizationId: 1, name: 'acme/web', url: '' }
  const repository = await deps.meta.releases.putRepository(put, deps.clock.now())
  return { deps, project, repository }
}

describe('a code mapping', () => {
  test('gets the branch main, is changed and deleted', async () => {
    const { deps, project, repository } = await rig()
    const { mapping, isNew } = await putCodeMapping(deps, project, repository.id, values)
    expect([isNew, mapping.defaultBranch]).toEqual([true, 'main'])
    const changed = await updateCodeMapping(deps, mapping.id, project, repository.id, { ...values, sourceRoot: 'lib/' })
    expect(changed.sourceRoot).toBe('lib/')
    await deleteCodeMapping(deps, 1, mapping.id)
    expect(await endOf(() => deleteCodeMapping(deps, 1, mapping.id))).toEqual(['NOT_FOUND', []])
  })

  test.each([
    ['../x', 'sourceRoot'],
    ['a/../b', 'sourceRoot'],
    ['a\\..\\b', 'sourceRoot'],
  ])('with the path %j is refused', async (sourceRoot, field) => {
    const { deps, project, repository } = await rig()
    const put = () => putCodeMapping(deps, project, repository.id, { ...values, sourceRoot })
    expect(await endOf(put)).toEqual(['VALIDATION', [field]])
  })

  test('of a repository of another organization is refused', async () => {
    const { deps, project } = await rig()
    await deps.meta.organizations.createOrganization({ slug: 'other', name: 'Other', ownerUserId: 'eve' })
    const other = await deps.meta.releases.putRepository({ organizationId: 2, name: 'x/y', url: '' }, 1)
    expect(await endOf(() => putCodeMapping(deps, project, other.id, values))).toEqual(['VALIDATION', ['repositoryId']])
  })
})

test('an upload names a repository that is not known yet, once', async () => {
  const { deps, project } = await rig()
  const upload = () => uploadCodeMappings(deps, project, 'acme/new', [values, { ...values, stackRoot: 'lib/' }])
  expect((await upload()).map(({ status }) => status)).toEqual(['created', 'created'])
  expect((await upload()).map(({ status }) => status)).toEqual(['updated', 'updated'])
  const names = await deps.meta.releases.repositoriesOf({ organizationId: 1, listed: false, offset: 0, max: 9 })
  expect(names.map(({ name }) => name)).toEqual(['acme/new', 'acme/web'])
})
