import { describe, expect, test } from 'vitest'
import { codeOf, commit as commitBatch, effect, hash, nowMs } from '../fixture.cases.ts'
import { releaseEnvironmentsMax } from '../ingest/batch-statements.ts'
import type { MetaStore } from '../meta-store.ts'
import type { NewCommit } from './commits.ts'

const told = (sha: string, more: Partial<NewCommit> = {}): NewCommit => ({
  repository: 'acme/shop',
  sha,
  message: `message of ${sha}`,
  authorName: 'Jo',
  authorEmail: 'jo@example.test',
  atMs: nowMs,
  files: [{ path: `src/${sha}.ts`, type: 'M' }],
  filesOmitted: 0,
  ...more,
})
const place = { organizationId: 1, version: 'shop@1' }
const all = { offset: 0, max: 100 }

/** Cases of commits, refs, deploys, lists and moments of releases, for every meta store. */
export function releaseCases(fresh: () => Promise<MetaStore>): void {
  /** Projects 1 (web) and 2 (api) of organization 1, project 3 of organization 2. */
  const withThree = async () => {
    const meta = await fresh()
    await meta.projects.createProject({ organizationId: 1, slug: 'api', name: 'Api', platform: null })
    const { id } = await meta.organizations.createOrganization({ slug: 'other', name: 'Other', ownerUserId: 'bob' })
    await meta.projects.createProject({ organizationId: id, slug: 'web', name: 'Web', platform: null })
    return meta
  }
  const createdRelease = (meta: MetaStore, version: string, projectIds: number[], atMs = nowMs) =>
    meta.releases.makeRelease({ organizationId: projectIds.includes(3) ? 2 : 1, projectIds, version, change: {} }, atMs)
  const shas = async (meta: MetaStore, version = 'shop@1') =>
    (await meta.releases.commitsOf({ organizationId: 1, version, ...all })).map((commit) => commit.sha)

  describe('commits', () => {
    test('are set as a whole, keep their order, and go with the last release that has them', async () => {
      const meta = await withThree()
      await createdRelease(meta, 'shop@1', [1])
      await createdRelease(meta, 'shop@2', [1])
      await meta.releases.setCommits(place, [told('c'), told('b'), told('a', { repository: 'acme/api' })], nowMs)
      expect(await shas(meta)).toEqual(['c', 'b', 'a'])
      expect(await meta.releases.commitsOf({ ...place, offset: 1, max: 1 })).toMatchObject([
        { sha: 'b', repository: 'acme/shop', message: 'message of b', authorName: 'Jo', files: 1, filesOmitted: 0 },
      ])
      await meta.releases.setCommits({ ...place, version: 'shop@2' }, [told('d'), told('c')], nowMs)
      await meta.releases.setCommits(place, [told('b')], nowMs)
      expect([await shas(meta), await shas(meta, 'shop@2')]).toEqual([['b'], ['d', 'c']])
      const names = async () =>
        (await meta.releases.repositoriesOf({ organizationId: 1, listed: false, ...all })).map(
          (repository) => repository.name,
        )
      // acme/api had only the commit that no release has any more.
      expect(await names()).toEqual(['acme/shop'])
      await meta.releases.removeRelease(1, [1], 'shop@1')
      await meta.releases.removeRelease(1, [1], 'shop@2')
      expect([await shas(meta, 'shop@2'), await names()]).toEqual([[], []])
    })

    test('the same commit told again: texts and files are the new ones; without files the old ones stay', async () => {
      const meta = await withThree()
      await createdRelease(meta, 'shop@1', [1])
      await meta.releases.setCommits(
        place,
        [told('a', { files: [{ path: 'x.ts', type: 'A' }], filesOmitted: 2 })],
        nowMs,
      )
      await meta.releases.setCommits(place, [told('a', { message: 'new', files: undefined })], nowMs)
      expect(await meta.releases.commitsOf({ ...place, ...all })).toMatchObject([
        { message: 'new', files: 1, filesOmitted: 2 },
      ])
      const twice = [
        { path: 'y.ts', type: 'M' as const },
        { path: 'y.ts', type: 'M' as const },
      ]
      await meta.releases.setCommits(place, [told('a', { files: twice }), told('a')], nowMs)
      expect(await meta.releases.commitFilesOf({ ...place, ...all })).toMatchObject([{ path: 'src/a.ts', type: 'M' }])
      expect(await shas(meta)).toEqual(['a'])
    })

    test('files are found by their last part, deleted ones are not', async () => {
      const meta = await withThree()
      await createdRelease(meta, 'shop@1', [1])
      const files = [
        { path: 'src/cart.ts', type: 'M' as const },
        { path: 'cart.ts', type: 'A' as const },
        { path: 'old/cart.ts', type: 'D' as const },
        { path: 'src/shopping-cart.ts', type: 'M' as const },
      ]
      await meta.releases.setCommits(place, [told('b'), told('a', { files })], nowMs)
      expect((await meta.releases.commitFilesNamed(place, ['cart.ts'])).map((item) => item.path)).toEqual([
        'cart.ts',
        'src/cart.ts',
      ])
      expect(await meta.releases.commitFilesNamed(place, [])).toEqual([])
      expect(await meta.releases.commitFilesNamed({ ...place, organizationId: 2 }, ['cart.ts'])).toEqual([])
      expect((await meta.releases.commitFilesOf({ ...place, ...all })).map((commitFile) => commitFile.path)).toEqual([
        'src/b.ts',
        'cart.ts',
        'old/cart.ts',
        'src/cart.ts',
        'src/shopping-cart.ts',
      ])
      expect(await meta.releases.commitFilesOf({ ...place, sha: 'b', ...all })).toHaveLength(1)
      expect(await meta.releases.commitFilesOf({ ...place, offset: 4, max: 9 })).toHaveLength(1)
    })

    test('refs name a head: unknown ones become a commit without text, which a later list fills in', async () => {
      const meta = await withThree()
      await createdRelease(meta, 'shop@1', [1])
      await meta.releases.setCommits(place, [told('a'), told('x', { repository: 'acme/api' })], nowMs)
      await meta.releases.setRefs(place, [{ repository: 'acme/shop', commit: 'a', previous: '' }], nowMs)
      expect(await shas(meta)).toEqual(['a', 'x'])
      await meta.releases.setRefs(place, [{ repository: 'acme/shop', commit: 'h', previous: 'a' }], nowMs)
      expect(await shas(meta)).toEqual(['h', 'x'])
      expect(await meta.releases.refsOf(place)).toEqual([{ repository: 'acme/shop', commit: 'h', previous: 'a' }])
      expect(await meta.releases.commitsOf({ ...place, offset: 0, max: 1 })).toMatchObject([
        { message: null, files: 0 },
      ])
      await meta.releases.setCommits(place, [told('h')], nowMs)
      expect(await meta.releases.commitsOf({ ...place, ...all })).toMatchObject([
        { sha: 'h', message: 'message of h', files: 1 },
      ])
      await meta.releases.setRefs(place, [], nowMs)
      expect([await shas(meta), await meta.releases.refsOf(place)]).toEqual([[], []])
    })

    test('sums: count, newest, authors each once', async () => {
      const meta = await withThree()
      await createdRelease(meta, 'shop@1', [1])
      const jane = { authorName: 'Jane', authorEmail: '' }
      await meta.releases.setCommits(
        place,
        [told('c', jane), told('b'), told('a'), told('0', { authorName: '', authorEmail: '' })],
        nowMs,
      )
      const sums = await meta.releases.commitSums(1, ['shop@1', 'none'], 9)
      expect([...sums.keys()]).toEqual(['shop@1'])
      expect(sums.get('shop@1')).toMatchObject({
        count: 4,
        last: { sha: 'c' },
        authors: [
          { name: 'Jane', email: '' },
          { name: 'Jo', email: 'jo@example.test' },
        ],
      })
      expect((await meta.releases.commitSums(1, ['shop@1'], 1)).get('shop@1')?.authors).toHaveLength(1)
      expect((await meta.releases.commitSums(2, ['shop@1'], 9)).size).toBe(0)
    })

    test('repositories that people made stay, and have their address', async () => {
      const meta = await withThree()
      await createdRelease(meta, 'shop@1', [1])
      await meta.releases.setCommits(place, [told('a')], nowMs)
      expect(await meta.releases.repositoriesOf({ organizationId: 1, listed: true, ...all })).toEqual([])
      const { id } = await meta.releases.putRepository(
        { organizationId: 1, name: 'acme/shop', url: 'https://git.test/shop' },
        nowMs,
      )
      expect(await meta.releases.repositoriesOf({ organizationId: 1, listed: true, ...all })).toMatchObject([
        { id, listed: true },
      ])
      expect(await meta.releases.commitsOf({ ...place, ...all })).toMatchObject([
        { repositoryUrl: 'https://git.test/shop' },
      ])
      expect(await meta.releases.repositoryCommits({ repositoryId: id, ...all })).toMatchObject([{ sha: 'a' }])
      await meta.releases.setCommits(place, [], nowMs)
      expect(await meta.releases.repositoryById(1, id)).toMatchObject({ name: 'acme/shop' })
      expect(await meta.releases.repositoryById(2, id)).toBeUndefined()
    })
  })

  describe('deploys and marks', () => {
    const deploy = (meta: MetaStore, environment: string, finishedMs: number, projectIds = [1], version = 'shop@1') =>
      meta.releases.addDeploy({
        organizationId: projectIds.includes(3) ? 2 : 1,
        version,
        environment,
        name: '',
        url: '',
        startedMs: null,
        finishedMs,
        projectIds,
      })

    test('deploys: newest first, those of other projects are not seen', async () => {
      const meta = await withThree()
      await createdRelease(meta, 'shop@1', [1, 2])
      for (const [environment, at, ids] of [
        ['production', 1, [1, 2]],
        ['staging', 3, [2]],
        ['production', 2, [1]],
      ] as const)
        await deploy(meta, environment, at, [...ids])
      const seen = async (projectIds: number[]) =>
        (await meta.releases.deploysOf({ ...place, projectIds, ...all })).map((item) => [
          item.environment,
          item.finishedMs,
          item.projectIds,
        ])
      expect(await seen([1, 2])).toEqual([
        ['staging', 3, [2]],
        ['production', 2, [1]],
        ['production', 1, [1, 2]],
      ])
      expect(await seen([1])).toEqual([
        ['production', 2, [1]],
        ['production', 1, [1]],
      ])
      expect(await seen([])).toEqual([])
      const sums = await meta.releases.deploySums(1, ['shop@1', 'shop@2'], [1, 2])
      expect(sums.get('shop@1')?.count).toBe(3)
      expect(sums.get('shop@1')?.last.map((item) => [item.environment, item.finishedMs])).toEqual([
        ['staging', 3],
        ['production', 2],
      ])
      expect((await meta.releases.deploySums(1, ['shop@1'], [1])).get('shop@1')).toMatchObject({
        count: 2,
        last: [{ finishedMs: 2 }],
      })
    })

    test('marks: a release when it came up, whoever was first; deploys by environment', async () => {
      const meta = await withThree()
      await createdRelease(meta, 'a', [1, 2], 500)
      await createdRelease(meta, 'b', [1], 300)
      await createdRelease(meta, 'c', [3], 300)
      await commitBatch(meta, { events: [effect({ release: 'a', timestampMs: 200 })] })
      await commitBatch(meta, {
        events: [effect({ release: 'e', timestampMs: 250 }), effect({ release: 'e', timestampMs: 400 })],
      })
      const moments = async (projectIds: number[], fromMs: number, toMs: number) =>
        (await meta.releases.releaseMoments({ projectIds, fromMs, toMs, max: 9 })).moments.map((moment) => [
          moment.version,
          moment.atMs,
          moment.projectIds,
        ])
      expect(await moments([1, 2], 0, 1000)).toEqual([
        ['a', 200, [1, 2]],
        ['e', 250, [1]],
        ['b', 300, [1]],
      ])
      // Release a existed before, so its later row does not count.
      expect((await moments([1, 2], 201, 1000)).map(([version]) => version)).toEqual(['e', 'b'])
      expect((await moments([1, 2], 200, 300)).map(([version]) => version)).toEqual(['a', 'e'])
      expect(await moments([2], 0, 1000)).toEqual([['a', 500, [2]]])
      expect(await moments([], 0, 1000)).toEqual([])
      await deploy(meta, 'production', 100, [1, 2], 'a')
      await deploy(meta, 'staging', 200, [1], 'a')
      const deploys = async (projectIds: number[], environments: string[], toMs = 1000) =>
        (await meta.releases.deployMoments({ projectIds, environments, fromMs: 100, toMs, max: 9 })).moments.map(
          (moment) => [moment.environment, moment.atMs, moment.projectIds],
        )
      expect(await deploys([1, 2], [])).toEqual([
        ['production', 100, [1, 2]],
        ['staging', 200, [1]],
      ])
      expect(await deploys([1, 2], ['staging'])).toEqual([['staging', 200, [1]]])
      expect(await deploys([2], [], 200)).toEqual([['production', 100, [2]]])
      const few = { projectIds: [1, 2], fromMs: 0, toMs: 1000, max: 1 }
      expect(await meta.releases.releaseMoments(few)).toMatchObject({ moments: [{ version: 'b', atMs: 300 }], all: 3 })
      // Release a began before this range, so its later row does not make it new, however small `max` is.
      expect(await meta.releases.releaseMoments({ ...few, fromMs: 201 })).toMatchObject({
        moments: [{ version: 'b' }],
        all: 2,
      })
      expect(await meta.releases.deployMoments({ ...few, environments: [] })).toMatchObject({
        moments: [{ environment: 'staging', projectIds: [1] }],
        all: 2,
      })
    })
  })

  describe('lists', () => {
    const seeded = async () => {
      const meta = await withThree()
      await createdRelease(meta, 'made', [1, 2], 100)
      await createdRelease(meta, 'other', [3], 100)
      await meta.releases.changeRelease(
        { organizationId: 1, projectIds: [1], version: 'made', change: { releasedMs: 900 } },
        100,
      )
      await commitBatch(meta, {
        events: [
          effect({ release: 'named', environment: 'production', timestampMs: 200, hashes: [hash(1)] }),
          effect({ release: 'named', environment: 'staging', timestampMs: 300, hashes: [hash(2)] }),
          effect({ release: 'late', environment: '', timestampMs: 400, hashes: [hash(1)] }),
          effect({ release: 'late', environment: 'production', timestampMs: 401, hashes: [hash(3)] }),
        ],
      })
      const where = { organizationId: 1, version: 'made', name: '', url: '' }
      await meta.releases.addDeploy({ ...where, environment: 'qa', startedMs: null, finishedMs: 700, projectIds: [1] })
      return meta
    }
    // All cases only read, so they share one store: each file costs a dozen syncs.
    test.each<[string, Partial<Parameters<MetaStore['releases']['countReleases']>[0]>, string[]]>([
      ['all', {}, ['late', 'named', 'made']],
      ['by text', { text: 'AME' }, ['named']],
      ['by text with a wildcard of the database', { text: '%' }, []],
      ['another project', { projectIds: [2] }, ['made']],
      ['another organization’s', { projectIds: [3] }, ['other']],
      ['no project', { projectIds: [] }, []],
      ['events in an environment', { environments: ['staging'] }, ['named']],
      ['of several', { environments: ['staging', 'production'] }, ['late', 'named']],
      ['a deploy there', { environments: ['qa'] }, ['made']],
      ['none there', { environments: ['none'] }, []],
      ['with events in a range', { range: { fromMs: 250, toMs: 350 } }, ['named']],
      ['made in it', { range: { fromMs: 0, toMs: 150 } }, ['made']],
      ['deployed in it', { range: { fromMs: 700, toMs: 701 } }, ['made']],
      ['finalized in it', { range: { fromMs: 850, toMs: 950 } }, ['made']],
      ['nothing in it', { range: { fromMs: 951, toMs: 999 } }, []],
      ['until a time', { untilMs: 200 }, ['named', 'made']],
      ['with commits', { withCommits: true }, []],
    ])('%s', async (_name, filter, versions) => {
      const meta = await seeded()
      const request = { projectIds: [1, 2], text: '', ...filter }
      expect(
        (await meta.releases.releaseTimes({ ...request, ...all })).map((releaseTime) => releaseTime.version),
      ).toEqual(versions)
      expect(await meta.releases.countReleases(request)).toBe(versions.length)
      expect(
        (await meta.releases.releaseTimes({ ...request, offset: 1, max: 1 })).map((releaseTime) => releaseTime.version),
      ).toEqual(versions.slice(1, 2))
    })

    test('environments are bounded for a release; those that are noted stay current', async () => {
      const meta = await fresh()
      const named = (n: number, ms: number) =>
        effect({ release: 'many', environment: `e${String(n).padStart(3, '0')}`, timestampMs: ms })
      await commitBatch(meta, { events: Array.from({ length: releaseEnvironmentsMax + 5 }, (_, n) => named(n, 5)) })
      await commitBatch(meta, {
        events: [named(0, 900), effect({ release: 'other', environment: 'e104', timestampMs: 5 })],
      })
      const found = await meta.releases.releaseEnvironments([1], ['many', 'other'], 999)
      expect([found.get('many')?.length, found.get('many')?.at(-1), found.get('other')]).toEqual([
        releaseEnvironmentsMax,
        'e099',
        ['e104'],
      ])
    })

    test('new issues, environments and what is asked for by name', async () => {
      const meta = await seeded()
      expect(await meta.releases.newIssues([1, 2], ['named', 'late', 'made'])).toEqual([
        { projectId: 1, version: 'late', issues: 1 },
        { projectId: 1, version: 'named', issues: 2 },
      ])
      expect([...(await meta.releases.releaseEnvironments([1], ['named', 'late'], 9))]).toEqual([
        ['named', ['production', 'staging']],
        ['late', ['production']],
      ])
      expect([...(await meta.releases.releaseEnvironments([1, 2], ['named'], 1))]).toEqual([['named', ['production']]])
      expect(await meta.releases.releasesNamed([1, 2], ['named', 'none', 'made'])).toMatchObject([
        { version: 'named', createdMs: 200, firstEventMs: 200, lastEventMs: 300, releasedMs: null },
        { version: 'made', createdMs: 100, firstEventMs: null, releasedMs: 900, projectIds: [1, 2] },
      ])
    })
  })

  describe('what goes', () => {
    const whole = async () => {
      const meta = await withThree()
      for (const [version, ids] of [
        ['both', [1, 2]],
        ['only', [1]],
      ] as const) {
        await createdRelease(meta, version, [...ids])
        await meta.releases.setCommits({ organizationId: 1, version }, [told(version)], nowMs)
        await meta.releases.setRefs(
          { organizationId: 1, version },
          [{ repository: version, commit: version, previous: '' }],
          nowMs,
        )
        const deploy = { organizationId: 1, version, environment: 'production', name: '', url: '' }
        await meta.releases.addDeploy({ ...deploy, startedMs: null, finishedMs: nowMs, projectIds: [...ids] })
      }
      return meta
    }
    const left = async (meta: MetaStore) =>
      await Array.fromAsync(['both', 'only'], async (version) => [
        (await meta.releases.commitsOf({ organizationId: 1, version, ...all })).length,
        (await meta.releases.refsOf({ organizationId: 1, version })).length,
        (await meta.releases.deploysOf({ organizationId: 1, version, projectIds: [1, 2], ...all })).map(
          (deploy) => deploy.projectIds,
        ),
      ])

    test('a release in one of its projects: commits stay with the other one', async () => {
      const meta = await whole()
      expect(await meta.releases.removeRelease(1, [1], 'both')).toBe(true)
      expect(await left(meta)).toEqual([
        [2, 1, [[2]]],
        [2, 1, [[1]]],
      ])
      expect(await meta.releases.removeRelease(1, [1, 2], 'both')).toBe(true)
      expect(await meta.releases.removeRelease(1, [1, 2], 'both')).toBe(false)
      expect((await left(meta))[0]).toEqual([0, 0, []])
      expect(await meta.releases.releaseOf([1, 2], 'both')).toBeUndefined()
      expect([(await meta.releases.orphanReleases()).orphans, await meta.snapshots.faults()]).toEqual([[], []])
    })

    test('a project takes what only it had', async () => {
      const meta = await whole()
      const { id } = await meta.retention.requestRemoval({ kind: 'project', projectId: 1, issueId: null, userId: null })
      await meta.retention.removeRows(id, 0)
      expect(await left(meta)).toEqual([
        [2, 1, [[2]]],
        [0, 0, []],
      ])
      expect([(await meta.releases.orphanReleases()).orphans, await meta.snapshots.faults()]).toEqual([[], []])
    })

    test('an organization takes all', async () => {
      const meta = await whole()
      await meta.releases.putRepository({ organizationId: 1, name: 'kept', url: '' }, nowMs)
      const { id } = await meta.retention.requestOrganizationRemoval({ organizationId: 1, userId: 'ann' })
      for (const projectId of [1, 2]) {
        const removal = await meta.retention.requestRemoval({ kind: 'project', projectId, issueId: null, userId: null })
        await meta.retention.removeRows(removal.id, 0)
      }
      await meta.retention.removeOrganization(id)
      expect([
        await meta.retention.organizationLeft(1),
        (await meta.releases.orphanReleases()).orphans,
        await meta.snapshots.faults(),
      ]).toEqual([[], [], []])
    })

    test('what belongs to no release is found', async () => {
      const meta = await withThree()
      await meta.releases.setCommits({ organizationId: 1, version: 'gone' }, [told('a')], nowMs)
      expect(await meta.releases.orphanReleases()).toEqual({
        looked: 1,
        orphans: ['release_commit of gone in organization 1'],
      })
    })

    test('a change of a release that is not there', async () =>
      expect(
        await codeOf(async () =>
          (await withThree()).releases.changeRelease(
            { organizationId: 1, projectIds: [1], version: 'none', change: {} },
            nowMs,
          ),
        ),
      ).toBe('NOT_FOUND'))
  })
}
