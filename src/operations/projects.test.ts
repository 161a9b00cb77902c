import { describe, expect, test } from 'vitest'
import type { ProjectChange } from '../store/meta/meta.ts'
import { createKey, deleteKey, updateKey } from './keys.ts'
import { createProject, ensureKey, updateProject } from './projects.ts'
import { endOf, operationRig } from './rig.cases.ts'

const fresh = operationRig()

describe('a new project', () => {
  test.each([
    ['Api', undefined, 'api'],
    ['Web', undefined, 'web-2'],
    ['Web', 'other', 'other'],
    ['123', undefined, 'project-123'],
  ])('%j with the slug %j becomes %s, with a key that ingest knows', async (name, slug, expected) => {
    const deps = await fresh()
    const project = await createProject(deps, { organizationId: 1, name, slug, platform: null })
    expect(project).toMatchObject({ name, slug: expected, platform: null })
    const [key] = await deps.meta.projects.keysOf(project.id)
    expect(key).toMatchObject({ label: 'Default', active: true })
    expect((await deps.meta.projects.keySnapshot()).keys[key?.publicKey ?? '']?.projectId).toBe(project.id)
    expect(deps.published).toEqual([(await deps.meta.projects.keySnapshot()).version])
  })

  test.each([
    ['', undefined, 'VALIDATION', ['name']],
    ['???', undefined, 'VALIDATION', ['name']],
    ['Web', 'Not a slug', 'VALIDATION', ['slug']],
    ['Web', 'web', 'CONFLICT', ['slug']],
  ])('%j with the slug %j is refused, and nothing is made', async (name, slug, code, fields) => {
    const deps = await fresh()
    expect(await endOf(() => createProject(deps, { organizationId: 1, name, slug, platform: null }))).toEqual([
      code,
      fields,
    ])
    expect([(await deps.meta.projects.projectsOf(1)).length, deps.published]).toEqual([1, []])
  })
})

describe('settings of a project', () => {
  const guard = { rev: undefined, scrapeToken: undefined }

  test('are written by name, with the token sealed, and published', async () => {
    const { ann, ...deps } = await fresh()
    const change = { slug: 'shop', allowedOrigins: ['https://shop.example'] }
    const project = await updateProject(deps, ann, 1, change, { rev: 0, scrapeToken: 'secret' })
    expect(project).toMatchObject({ slug: 'shop', allowedOrigins: change.allowedOrigins, rev: 1 })
    expect(deps.seal.open((await deps.meta.artifacts.scrapeSettings(1)).sealedToken)).toBe('secret')
    expect(deps.published).toHaveLength(1)
    await updateProject(deps, ann, 1, { name: 'Shop' }, guard)
    expect(deps.seal.open((await deps.meta.artifacts.scrapeSettings(1)).sealedToken)).toBe('secret')
    await updateProject(deps, ann, 1, {}, { rev: undefined, scrapeToken: '' })
    expect((await deps.meta.artifacts.scrapeSettings(1)).sealedToken).toBe('')
  })

  test.each<[ProjectChange, typeof guard | { rev: number; scrapeToken: string }, string, string[]]>([
    [{ name: '' }, guard, 'VALIDATION', ['name']],
    [{ name: 'New' }, { rev: 0, scrapeToken: 'with space' }, 'VALIDATION', ['scrapeToken']],
    [{ name: 'New' }, { rev: 5, scrapeToken: '' }, 'CONFLICT', []],
  ])('%j with %j is refused, and nothing is published', async (change, asked, code, fields) => {
    const { ann, ...deps } = await fresh()
    expect(await endOf(() => updateProject(deps, ann, 1, change, asked))).toEqual([code, fields])
    expect([(await deps.meta.projects.projectById(1))?.name, deps.published]).toEqual(['Web', []])
  })
})

describe('keys', () => {
  test('are made with all that is said of them at once, and published', async () => {
    const deps = await fresh()
    const rateLimit = { count: 5, windowS: 60 }
    const key = await createKey(deps, 1, { label: 'Mobile', rateLimit })
    expect(key).toMatchObject({ label: 'Mobile', rateLimit, rev: 1 })
    expect(await createKey(deps, 1, {})).toMatchObject({ label: 'Default', rateLimit: null, rev: 0 })
    expect(deps.published).toHaveLength(2)
  })

  test('are changed by revision and deleted, and published each time', async () => {
    const { ann, ...deps } = await fresh()
    expect(await updateKey(deps, ann, 1, { active: false }, 0)).toMatchObject({ active: false, rev: 1 })
    expect(await endOf(() => updateKey(deps, ann, 1, { active: true }, 0))).toEqual(['CONFLICT', []])
    expect(deps.published).toHaveLength(1)
    await deleteKey(deps, 1)
    expect([await deps.meta.projects.keysOf(1), deps.published.length]).toEqual([[], 2])
  })

  test('a project whose keys are all disabled gets a new one where one is needed', async () => {
    const { ann, ...deps } = await fresh()
    expect((await ensureKey(deps.meta, 1)).id).toBe(1)
    await updateKey(deps, ann, 1, { active: false })
    const created = await ensureKey(deps.meta, 1)
    expect([created.id === 1, created.active, (await ensureKey(deps.meta, 1)).id]).toEqual([false, true, created.id])
  })
})
