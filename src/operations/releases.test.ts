import { describe, expect, test } from 'vitest'
import { commit, effect, hash, nowMs } from '../store/meta/fixture.cases.ts'
import type { IssueChange } from '../store/meta/issues/triage.ts'
import type { NewCommit } from '../store/meta/releases/commits.ts'
import {
  createDeploy,
  createRelease,
  createRepository,
  deleteRelease,
  deleteRepository,
  setReleaseCommits,
  updateRelease,
} from './releases.ts'
import { endOf, operationRig } from './rig.cases.ts'

const fresh = operationRig()
const value = { organizationId: 1, projectIds: [1], version: 'web@2', change: {} }
const place = { organizationId: 1, version: 'web@2' }
const commitOf = (sha: string, message: string): NewCommit => ({
  repository: 'acme/web',
  sha,
  message,
  authorName: 'Ann',
  authorEmail: 'ann@example.test',
  atMs: nowMs,
  files: undefined,
  filesOmitted: 0,
})

/** A rig with the issues WEB-1 and WEB-2. */
async function rig() {
  const deps = await fresh()
  await commit(deps.meta, { events: [effect(), effect({ hashes: [hash(2)] })] })
  const project = await deps.meta.projects.projectById(1)
  if (!project) throw new Error('no project')
  return { ...deps, project }
}

describe('a release', () => {
  test('is made once, and settles what waited for the next one', async () => {
    const deps = await rig()
    const change: IssueChange = { status: 'resolved', statusDetails: { inNextRelease: true, afterRelease: '' } }
    await deps.meta.issues.updateIssue(1, change, 'ann', nowMs)
    expect(await createRelease(deps, value)).toEqual({ isNew: true })
    expect((await deps.meta.issues.issueById(1))?.statusDetails).toMatchObject({ inRelease: 'web@2' })
    expect(deps.announced).toEqual([{ kind: 'issue', id: '1' }])
    await deps.meta.issues.updateIssue(2, change, 'ann', nowMs)
    expect(await createRelease(deps, value)).toEqual({ isNew: false })
    expect((await deps.meta.issues.issueById(2))?.statusDetails).not.toHaveProperty('inRelease')
    expect(deps.announced).toHaveLength(1)
  })

  test('changes where it is', async () => {
    const deps = await rig()
    expect(await endOf(() => updateRelease(deps, value))).toEqual(['NOT_FOUND', []])
    await createRelease(deps, value)
    await updateRelease(deps, { ...value, change: { releasedMs: 5, archived: true } })
    expect(await deps.meta.releases.releaseOf([1], 'web@2')).toMatchObject({ releasedMs: 5, archived: true })
  })

  test('is deleted after its files', async () => {
    const deps = await rig()
    await createRelease(deps, value)
    const removed: unknown[] = []
    const removeFiles = async (projectIds: readonly number[], version: string) =>
      void removed.push([projectIds, version, (await deps.meta.releases.releaseOf([1], version))?.version])
    await deleteRelease({ ...deps, artifacts: { removeFiles } }, place, [1])
    expect([removed, await deps.meta.releases.releaseOf([1], 'web@2')]).toEqual([[[[1], 'web@2', 'web@2']], undefined])
  })
})

describe('commits of a release', () => {
  const told = { commits: [commitOf('a1', 'Fixes WEB-1')], refs: undefined }

  test('resolve what they fix where the caller may, the first time they are told', async () => {
    const deps = await rig()
    await createRelease(deps, value)
    await setReleaseCommits(deps, place, told, { projectIds: [1], fixable: [] })
    expect((await deps.meta.issues.issueById(1))?.status).toBe('unresolved')
    await setReleaseCommits(deps, place, told, { projectIds: [1], fixable: [deps.project] })
    expect((await deps.meta.issues.issueById(1))?.status).toBe('unresolved')
    const more = { ...told, commits: [...told.commits, commitOf('a2', 'Closes web-1, WEB-2')] }
    await setReleaseCommits(deps, place, more, { projectIds: [1], fixable: [deps.project] })
    expect(await Array.fromAsync([1, 2], async (id) => (await deps.meta.issues.issueById(id))?.statusDetails)).toEqual(
      [1, 2].map(() => ({ inRelease: 'web@2', inCommit: { repository: 'acme/web', commit: 'a2' } })),
    )
    expect(deps.announced).toEqual(['1', '2'].map((id) => ({ kind: 'issue', id })))
  })

  test('settle what waited for them, also when none are told', async () => {
    const deps = await rig()
    await createRelease(deps, value)
    await setReleaseCommits(deps, place, { ...told, commits: [commitOf('b1', '')] }, { projectIds: [1], fixable: [] })
    const statusDetails = { inCommit: { repository: 'acme/web', commit: 'b1' } }
    await deps.meta.issues.updateIssue(2, { status: 'resolved', statusDetails }, 'ann', nowMs)
    await setReleaseCommits(deps, place, { commits: undefined, refs: undefined }, { projectIds: [1], fixable: [] })
    expect((await deps.meta.issues.issueById(2))?.statusDetails).toMatchObject({ inRelease: 'web@2' })
    expect(await deps.meta.releases.versionsWithCommit(1, 'acme/web', 'b1')).toEqual(['web@2'])
  })

  test('empty refs alone take commits out; beside commits they say nothing', async () => {
    const deps = await rig()
    await createRelease(deps, value)
    const where = { projectIds: [1], fixable: [] }
    await setReleaseCommits(deps, place, { ...told, refs: [] }, where)
    expect(await deps.meta.releases.versionsWithCommit(1, 'acme/web', 'a1')).toEqual(['web@2'])
    await setReleaseCommits(deps, place, { commits: undefined, refs: [] }, where)
    expect(await deps.meta.releases.versionsWithCommit(1, 'acme/web', 'a1')).toEqual([])
  })
})

test('deploys and repositories are kept, and a repository leaves the list', async () => {
  const deps = await rig()
  await createRelease(deps, value)
  const about = { environment: 'production', name: '', url: '', startedMs: null, finishedMs: nowMs, projectIds: [1] }
  expect(await createDeploy(deps, { ...place, ...about })).toMatchObject({
    version: 'web@2',
    environment: 'production',
  })
  const { id } = await createRepository(deps, { organizationId: 1, name: 'acme/web', url: '' })
  expect(await createRepository(deps, { organizationId: 1, name: 'acme/web', url: 'https://git.test' })).toMatchObject({
    id,
    url: 'https://git.test',
  })
  expect([
    await deleteRepository(deps, 2, id),
    await deleteRepository(deps, 1, id),
    await deleteRepository(deps, 1, id),
  ]).toEqual([false, true, false])
})
