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
function rig() {
  const parts = fresh()
  commit(parts.meta, { events: [effect(), effect({ hashes: [hash(2)] })] })
  const project = parts.meta.projectById(1)
  if (!project) throw new Error('no project')
  return { ...parts, project }
}

describe('a release', () => {
  test('is made once, and settles what waited for the next one', () => {
    const parts = rig()
    const change: IssueChange = { status: 'resolved', statusDetails: { inNextRelease: true, afterRelease: '' } }
    parts.meta.updateIssue(1, change, 'ann', nowMs)
    expect(createRelease(parts, value)).toEqual({ isNew: true })
    expect(parts.meta.issueById(1)?.statusDetails).toMatchObject({ inRelease: 'web@2' })
    expect(parts.announced).toEqual([{ kind: 'issue', id: '1' }])
    parts.meta.updateIssue(2, change, 'ann', nowMs)
    expect(createRelease(parts, value)).toEqual({ isNew: false })
    expect(parts.meta.issueById(2)?.statusDetails).not.toHaveProperty('inRelease')
    expect(parts.announced).toHaveLength(1)
  })

  test('changes where it is', async () => {
    const parts = rig()
    expect(await endOf(() => updateRelease(parts, value))).toEqual(['NOT_FOUND', []])
    createRelease(parts, value)
    updateRelease(parts, { ...value, change: { releasedMs: 5, archived: true } })
    expect(parts.meta.releaseOf([1], 'web@2')).toMatchObject({ releasedMs: 5, archived: true })
  })

  test('is deleted after its files', async () => {
    const parts = rig()
    createRelease(parts, value)
    const removed: unknown[] = []
    const removeFiles = async (projectIds: readonly number[], version: string) =>
      void removed.push([projectIds, version, parts.meta.releaseOf([1], version)?.version])
    await deleteRelease({ ...parts, artifacts: { removeFiles } }, place, [1])
    expect([removed, parts.meta.releaseOf([1], 'web@2')]).toEqual([[[[1], 'web@2', 'web@2']], undefined])
  })
})

describe('commits of a release', () => {
  const told = { commits: [commitOf('a1', 'Fixes WEB-1')], refs: undefined }

  test('resolve what they fix where the caller may, the first time they are told', () => {
    const parts = rig()
    createRelease(parts, value)
    setReleaseCommits(parts, place, told, { projectIds: [1], fixable: [] })
    expect(parts.meta.issueById(1)?.status).toBe('unresolved')
    setReleaseCommits(parts, place, told, { projectIds: [1], fixable: [parts.project] })
    expect(parts.meta.issueById(1)?.status).toBe('unresolved')
    const more = { ...told, commits: [...told.commits, commitOf('a2', 'Closes web-1, WEB-2')] }
    setReleaseCommits(parts, place, more, { projectIds: [1], fixable: [parts.project] })
    expect([1, 2].map((id) => parts.meta.issueById(id)?.statusDetails)).toEqual(
      [1, 2].map(() => ({ inRelease: 'web@2', inCommit: { repository: 'acme/web', commit: 'a2' } })),
    )
    expect(parts.announced).toEqual(['1', '2'].map((id) => ({ kind: 'issue', id })))
  })

  test('settle what waited for them, also when none are told', () => {
    const parts = rig()
    createRelease(parts, value)
    setReleaseCommits(parts, place, { ...told, commits: [commitOf('b1', '')] }, { projectIds: [1], fixable: [] })
    const statusDetails = { inCommit: { repository: 'acme/web', commit: 'b1' } }
    parts.meta.updateIssue(2, { status: 'resolved', statusDetails }, 'ann', nowMs)
    setReleaseCommits(parts, place, { commits: undefined, refs: undefined }, { projectIds: [1], fixable: [] })
    expect(parts.meta.issueById(2)?.statusDetails).toMatchObject({ inRelease: 'web@2' })
    expect(parts.meta.versionsWithCommit(1, 'acme/web', 'b1')).toEqual(['web@2'])
  })

  test('empty refs alone take commits out; beside commits they say nothing', () => {
    const parts = rig()
    createRelease(parts, value)
    const where = { projectIds: [1], fixable: [] }
    setReleaseCommits(parts, place, { ...told, refs: [] }, where)
    expect(parts.meta.versionsWithCommit(1, 'acme/web', 'a1')).toEqual(['web@2'])
    setReleaseCommits(parts, place, { commits: undefined, refs: [] }, where)
    expect(parts.meta.versionsWithCommit(1, 'acme/web', 'a1')).toEqual([])
  })
})

test('deploys and repositories are kept, and a repository leaves the list', () => {
  const parts = rig()
  createRelease(parts, value)
  const about = { environment: 'production', name: '', url: '', startedMs: null, finishedMs: nowMs, projectIds: [1] }
  expect(createDeploy(parts, { ...place, ...about })).toMatchObject({ version: 'web@2', environment: 'production' })
  const { id } = createRepository(parts, { organizationId: 1, name: 'acme/web', url: '' })
  expect(createRepository(parts, { organizationId: 1, name: 'acme/web', url: 'https://git.test' })).toMatchObject({
    id,
    url: 'https://git.test',
  })
  expect([deleteRepository(parts, 2, id), deleteRepository(parts, 1, id), deleteRepository(parts, 1, id)]).toEqual([
    false,
    true,
    false,
  ])
})
