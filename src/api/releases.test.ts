import { beforeAll, describe, expect, test } from 'vitest'
import type { RestCommitters } from '../contract/commits.ts'
import type { RestAnnotations, RestRelease } from '../contract/releases.ts'
import type { Role } from '../store/meta/meta.ts'
import { appForFile } from './app.cases.ts'
import { hex, seedEvents } from './seed.cases.ts'

// Releases with commits, deploys and chart marks, and suspect commits of an issue, with real stores.

const { made, call, personAs } = appForFile()
const O = '/organizations/acme'
const P = '/projects/acme/web'
const nowS = Math.floor(Date.now() / 1000)
const ago = (seconds: number) => new Date((nowS - seconds) * 1000).toISOString()

/** An error in src/cart.ts, called from src/order.ts. */
const inCart = (id: number, release: string, atS = nowS - 600) => ({
  event_id: hex(id),
  platform: 'node',
  timestamp: atS,
  release,
  environment: 'production',
  exception: {
    values: [
      {
        type: 'CartError',
        value: `in ${release}`,
        stacktrace: {
          frames: [
            { filename: '/srv/app/node_modules/express/index.js', function: 'next', lineno: 1, in_app: false },
            { filename: '/srv/app/src/order.ts', function: 'order', lineno: 5, in_app: true },
            { filename: '/srv/app/src/cart.ts', function: 'total', lineno: 9, in_app: true },
          ],
        },
      },
    ],
  },
})

const createProject = (slug: string) =>
  made().app.meta.projects.createProject({ organizationId: made().organization.id, slug, name: slug, platform: null })

beforeAll(async () => {
  await made().store([...seedEvents, inCart(900, 'cart@2.0.0')])
  await createProject('api')
}, 30_000)

const post = (path: string, body: object) => call('POST', path, { body })
const release = async (version: string, under = O) =>
  (await call('GET', `${under}/releases/${encodeURIComponent(version)}/`)).json as RestRelease
const change = (path: string, type = 'M') => ({ path, type })
const commit = (id: string, atS: number, files: object[], more: object = {}) => ({
  id,
  message: `message of ${id}\n`,
  author_name: 'Jo',
  author_email: 'jo@example.test',
  repository: 'acme/shop',
  timestamp: ago(atS),
  patch_set: files,
  ...more,
})

describe('a release', () => {
  test('of events and of a build is one; the whole object', async () => {
    expect(await release('cart@2.0.0')).toMatchObject({
      version: 'cart@2.0.0',
      shortVersion: '2.0.0',
      dateReleased: null,
      newGroups: 1,
      commitCount: 0,
      lastCommit: null,
      lastDeploy: null,
      environments: ['production'],
      bundleCount: 0,
      refs: [],
      versionInfo: { package: 'cart', version: { raw: '2.0.0', major: '2', minor: '0', patch: '0', pre: null } },
      projects: [{ slug: 'web', newGroups: 1, platforms: ['javascript-react'] }],
      firstEvent: ago(600),
    })
    const again = await post(`${O}/releases/`, {
      version: 'cart@2.0.0',
      projects: ['web', 'api'],
      ref: 'main',
      url: 'https://ci.test/1',
      dateReleased: ago(10),
      commits: [commit('b', 3600, [change('src/cart.ts')]), commit('a', 7200, [], { author_name: 'Ann' })],
    })
    expect(again.status).toBe(208)
    expect(again.json).toMatchObject({
      ref: 'main',
      url: 'https://ci.test/1',
      dateReleased: ago(10),
      commitCount: 2,
      lastCommit: { id: 'b', message: 'message of b', repository: { name: 'acme/shop' }, fileCount: 1 },
      authors: [{ name: 'Jo' }, { name: 'Ann' }],
      projects: [
        { slug: 'api', newGroups: 0 },
        { slug: 'web', newGroups: 1 },
      ],
    })
    expect(await release('cart@2.0.0', P)).toMatchObject({ projects: [{ slug: 'web' }] })
    expect((await call('GET', `${O}/issues/?query=firstRelease:cart@2.0.0`)).json).toMatchObject([
      { title: expect.stringContaining('CartError'), firstRelease: { version: 'cart@2.0.0' } },
    ])
  })

  test.each([
    [{ version: 'a/b' }, { version: [expect.stringContaining('slashes')] }],
    [{ version: 'latest' }, { version: [expect.stringContaining('latest')] }],
    [{ version: 'x'.repeat(201) }, { version: ['At most 200 characters.'] }],
    [{ version: '' }, { version: ['A version.'] }],
    [{ url: 'javascript:alert(1)' }, { url: ['An address with http or https.'] }],
    [{ url: 'nonsense' }, { url: ['An address with http or https.'] }],
    [{ dateReleased: 'soon' }, { dateReleased: ['A time, ISO 8601.'] }],
    [{ commits: [{ id: '' }] }, { commits: ['The id of a commit.'] }],
    [{ commits: [{ id: 'a b' }] }, { commits: [expect.stringContaining('white space')] }],
    [{ commits: [{ id: 'a', patch_set: [{ path: 'a', type: 'X' }] }] }, { commits: ['A, M or D.'] }],
    [{ commits: Array(5001).fill({ id: 'a' }) }, { commits: ['At most 5000 commits.'] }],
    [{ refs: [{ repository: 'a\nb', commit: 'c' }] }, { refs: ['No control characters.'] }],
    [{ projects: ['nope'] }, { projects: [expect.stringContaining('nope')] }],
    [{ projects: [] }, { projects: [expect.stringContaining('Name 1 to')] }],
    [{ projects: [], status: 'archived' }, { projects: [expect.stringContaining('Name 1 to')] }],
    [{ status: 'gone' }, { status: ['open or archived.'] }],
  ])('refused with a sentence: %.60j', async (body, fields) => {
    const answer = await post(`${O}/releases/`, { version: 'refused@1', projects: ['web'], ...body })
    expect([answer.status, answer.json]).toEqual([400, fields])
    expect((await call('GET', `${O}/releases/refused@1/`)).status).toBe(404)
  })

  test('a body over 8 MiB, and what is kept of large commits', async () => {
    const large = JSON.stringify({ version: 'large@1', projects: ['web'], ref: ' '.repeat(8 * 1024 * 1024) })
    expect((await call('POST', `${O}/releases/`, { body: large })).status).toBe(413)
    const files = Array.from({ length: 1_001 }, (_one, at) => change(`src/f${at}.ts`))
    const commits = [
      commit('big', 60, [...files, change('x'.repeat(1_025)), change('')], { message: 'm'.repeat(9_000) }),
      commit('bare', 30, [], {
        patch_set: null,
        repository: null,
        author_name: null,
        author_email: null,
        message: null,
      }),
    ]
    expect((await post(`${P}/releases/`, { version: 'large@1', commits })).status).toBe(201)
    const kept = (await call('GET', `${O}/releases/large@1/commits/`)).json as { message: string }[]
    expect(kept).toMatchObject([
      { id: 'bare', message: '', author: null, repository: { name: 'unknown' }, fileCount: 0, filesOmitted: 0 },
      { id: 'big', fileCount: 1_000, filesOmitted: 3 },
    ])
    expect(kept[1]?.message).toHaveLength(8_192)
    const page = await call('GET', `${O}/releases/large@1/commitfiles/?commit=big&per_page=2`)
    expect(page.json).toMatchObject([{ filename: 'src/f0.ts', type: 'M', commitId: 'big' }, { filename: 'src/f1.ts' }])
    expect(page.headers.get('link')).toContain('rel="next"; results="true"; cursor="0:2:0"')
  })

  test('finalize, refs, clear, delete', async () => {
    await post(`${O}/releases/`, { version: 'way@1', projects: ['web'] })
    const put = (body: object) => call('PUT', `${O}/releases/way@1/`, { body })
    expect((await put({ dateReleased: ago(0) })).json).toMatchObject({ dateReleased: ago(0) })
    const refs = [{ repository: 'acme/shop', commit: 'headsha', previousCommit: 'oldsha' }]
    expect((await put({ refs })).json).toMatchObject({
      refs,
      commitCount: 1,
      dateReleased: ago(0),
      lastCommit: { id: 'headsha', message: null, author: null },
    })
    expect((await put({ commits: [commit('headsha', 5, [])], refs: [] })).json).toMatchObject({
      refs,
      lastCommit: { message: 'message of headsha' },
    })
    expect((await put({ refs: [] })).json).toMatchObject({ refs: [], commitCount: 0 })
    expect((await put({ dateReleased: null })).json).toMatchObject({ dateReleased: null })
    expect((await call('DELETE', `${O}/releases/way@1/`)).status).toBe(204)
    expect((await call('DELETE', `${O}/releases/way@1/`)).status).toBe(404)
  })

  test('archive and restore: the list of open ones leaves it out, everything else stays', async () => {
    const other = await createProject('arc')
    await post(`${O}/releases/`, { version: 'arc@1', projects: ['web', 'arc'], ref: 'main' })
    await post(`${O}/releases/`, { version: 'arc@2', projects: ['arc'] })
    const listed = async (status: string) => {
      const answer = await call('GET', `${O}/releases/?query=arc@&${status}`)
      return [(answer.json as RestRelease[]).map((item) => item.version), answer.headers.get('x-hits')]
    }
    // `sentry-cli releases archive` sends only the release.
    const archived = await post(`${O}/releases/`, { version: 'arc@1', projects: [], status: 'archived' })
    expect([archived.status, archived.json]).toMatchObject([
      208,
      { status: 'archived', ref: 'main', projects: [{ slug: 'arc' }, { slug: 'web' }] },
    ])
    expect(await listed('status=archived')).toEqual([['arc@1'], '1'])
    expect(await listed('status=open')).toEqual([['arc@2'], '1'])
    expect(await listed('')).toEqual([['arc@2', 'arc@1'], '2'])
    expect((await call('GET', `${O}/releases/?status=gone`)).status).toBe(400)
    // A build that reports the release again does not restore it.
    await post(`${O}/releases/`, { version: 'arc@1', projects: ['web'], ref: 'next' })
    expect((await call('GET', `${O}/releases/arc@1/`)).json).toMatchObject({ status: 'archived', ref: 'next' })
    const restored = await call('PUT', `${O}/releases/arc@1/`, { body: { status: 'open' } })
    expect([restored.status, restored.json]).toMatchObject([200, { status: 'open' }])
    expect(await listed('status=archived')).toEqual([[], '0'])
    // Archived in one of two projects, the release stays open in the other one.
    const entry = await call('PUT', `/projects/acme/${other.slug}/releases/arc@1/`, { body: { status: 'archived' } })
    expect(entry.json).toMatchObject({ status: 'archived', projects: [{ slug: 'arc' }] })
    expect((await call('GET', `${O}/releases/arc@1/`)).json).toMatchObject({ status: 'open' })
  })

  test('a release that only events named can be archived', async () => {
    await made().store([inCart(930, 'named@1.0.0')])
    const put = (status: string) => call('PUT', `${P}/releases/named@1.0.0/`, { body: { status } })
    expect((await put('archived')).json).toMatchObject({ status: 'archived' })
    expect((await put('open')).json).toMatchObject({ status: 'open' })
  })

  test('the previous one with commits: of its own projects only', async () => {
    const { app, organization } = made()
    const other = await createProject('prev')
    const make = async (version: string, atMs: number, commits: boolean) => {
      await app.meta.releases.makeRelease(
        { organizationId: organization.id, projectIds: [other.id], version, change: {} },
        nowS * 1000 + atMs,
      )
      const item = { repository: 'r', sha: version, message: '', authorName: '', authorEmail: '', atMs: 1 }
      if (commits)
        await app.meta.releases.setCommits(
          { organizationId: organization.id, version },
          [{ ...item, files: [], filesOmitted: 0 }],
          1,
        )
    }
    const previous = async (version: string) =>
      ((await call('GET', `${O}/releases/${version}/previous-with-commits/`)).json as RestRelease).lastCommit?.id
    await make('p1', 1, false)
    await make('p2', 2, true)
    await make('p3', 3, false)
    await make('p4', 4, true)
    expect(await Promise.all(['p1', 'p2', 'p3', 'p4'].map(previous))).toEqual([undefined, undefined, 'p2', 'p2'])
    expect((await call('GET', `${O}/releases/p2/previous-with-commits/`)).json).toEqual({})
    expect((await call('GET', `${O}/releases/none/previous-with-commits/`)).status).toBe(404)
  })
})

test('a commit that fixes an issue resolves it in its release, once', async () => {
  await made().store([inCart(901, 'fix@1.0.0')])
  const issue = async () =>
    ((await call('GET', `${O}/issues/?query=CartError`)).json as { id: string; shortId: string; status: string }[])[0]
  const { id = '', shortId = '' } = (await issue()) ?? {}
  const told = (version: string, message: string, sha: string, projects = ['web']) =>
    post(`${O}/releases/`, { version, projects, commits: [commit(sha, 60, [], { message })] })
  await told('fix@2.0.0', `see ${shortId}, fixes NOPE-1`, 'f1')
  expect((await issue())?.status).toBe('unresolved')
  await told('fix@2.0.0', `Guard the total\n\nFixes ${shortId.toLowerCase()}`, 'f2')
  expect((await call('GET', `/issues/${id}/`)).json).toMatchObject({
    status: 'resolved',
    statusDetails: { inRelease: 'fix@2.0.0', inCommit: { repository: 'acme/shop', commit: 'f2' } },
    activity: expect.arrayContaining([
      expect.objectContaining({
        type: 'set_resolved_in_release',
        user: null,
        data: expect.objectContaining({ version: 'fix@2.0.0', reason: 'commit', commit: 'f2', author: 'Jo' }),
      }),
    ]),
  })
  // The same commit, in this or another release, does not resolve the issue again.
  await call('PUT', `/issues/${id}/`, { body: { status: 'unresolved' } })
  await told('fix@2.0.0', `fixes ${shortId}`, 'f2')
  await told('fix@3.0.0', `fixes ${shortId}`, 'f2')
  expect((await issue())?.status).toBe('unresolved')
  // A release of another project: resolved in the commit until a release of its own project contains it.
  await told('fix@4.0.0', `closes ${shortId}`, 'f4', ['api'])
  const waiting = (await call('GET', `/issues/${id}/`)).json as { statusDetails: object }
  expect(waiting).toMatchObject({ status: 'resolved' })
  expect(waiting.statusDetails).toEqual({ inCommit: { repository: 'acme/shop', commit: 'f4' } })
  await call('PUT', `/issues/${id}/`, { body: { status: 'unresolved' } })
})

test('ids: one for each release of an organization, the same in each answer', async () => {
  const versions = ['id@1', 'id@2', 'id@3']
  for (const version of versions) await post(`${O}/releases/`, { version, projects: ['web'] })
  const list = (await call('GET', `${O}/releases/?query=id@&per_page=50`)).json as RestRelease[]
  expect(new Set(list.map((row) => row.id)).size).toBe(versions.length)
  for (const row of list) {
    expect(row.id).toBeGreaterThan(0)
    expect((await release(row.version)).id).toBe(row.id)
  }
})

describe('the list', () => {
  const versions = async (query: string, under = O) =>
    ((await call('GET', `${under}/releases/?${query}`)).json as RestRelease[]).map((item) => item.version)

  test('search, order, project, environment, range, pages', async () => {
    for (const version of ['sorted@1.10.0', 'sorted@1.9.0', 'sorted@1.9.0-rc.1'])
      await post(`${P}/releases/`, { version })
    await post(`${O}/releases/sorted@1.9.0/deploys/`, { environment: 'qa', dateFinished: ago(86_400) })
    expect(await versions('query=SORTED@&sort=semver')).toEqual(['sorted@1.10.0', 'sorted@1.9.0', 'sorted@1.9.0-rc.1'])
    expect((await versions('query=sorted')).toSorted()).toEqual(['sorted@1.10.0', 'sorted@1.9.0', 'sorted@1.9.0-rc.1'])
    expect(await versions('environment=qa')).toEqual(['sorted@1.9.0'])
    expect(await versions('project=web&environment=staging')).toEqual(['shop@1.0.0'])
    expect(await versions('project=api&query=sorted')).toEqual([])
    expect(await versions(`start=${ago(90_000)}&end=${ago(80_000)}`)).toEqual(['sorted@1.9.0'])
    expect(await versions('query=shop&statsPeriod=1h', P)).toEqual(['shop@1.0.0'])
    const page = await call('GET', `${O}/releases/?query=sorted&sort=semver&per_page=2`)
    expect([page.headers.get('x-hits'), (page.json as unknown[]).length]).toEqual(['3', 2])
    expect(page.headers.get('link')).toContain('rel="next"; results="true"; cursor="0:2:0"')
    expect(await versions('query=sorted&sort=semver&per_page=2&cursor=0:2:0')).toEqual(['sorted@1.9.0-rc.1'])
    for (const wrong of ['sort=size', 'cursor=x', 'per_page=0', 'project=nope', 'start=2026-01-01'])
      expect([wrong, (await call('GET', `${O}/releases/?${wrong}`)).status]).toEqual([wrong, 400])
  })
})

describe('deploys and marks', () => {
  test('a deploy is listed, stands on its release, and is marked', async () => {
    await post(`${O}/releases/`, { version: 'deployed@1', projects: ['web', 'api'] })
    const path = `${O}/releases/deployed@1/deploys/`
    const all = { environment: 'production', name: 'first', url: 'https://ci.test/d', dateStarted: ago(70) }
    expect(await post(path, { ...all, dateFinished: ago(60) })).toMatchObject({
      status: 201,
      json: { ...all, id: expect.stringMatching(/^\d+$/), dateFinished: ago(60), projects: ['api', 'web'] },
    })
    expect((await post(path, { environment: 'staging', projects: ['api'] })).json).toMatchObject({
      name: null,
      url: null,
      dateStarted: null,
      dateFinished: expect.stringMatching(/^20/),
      projects: ['api'],
    })
    expect((await call('GET', path)).json).toMatchObject([{ environment: 'staging' }, { environment: 'production' }])
    expect((await call('GET', `${P}/releases/deployed@1/deploys/`)).json).toMatchObject([{ projects: ['web'] }])
    expect(await release('deployed@1')).toMatchObject({
      deployCount: 2,
      lastDeploy: { environment: 'staging' },
      lastDeploys: [{ environment: 'staging' }, { environment: 'production' }],
    })
    const marks = async (query: string) => (await call('GET', `${O}/release-marks/?${query}`)).json as RestAnnotations
    const { marks: found, omitted } = await marks('statsPeriod=1h&project=api')
    expect(found.filter((item) => item.version === 'deployed@1')).toMatchObject([
      { kind: 'deploy', environment: 'production', at: ago(60), projects: ['api'] },
      { kind: 'release', environment: null, shortVersion: '1' },
      { kind: 'deploy', environment: 'staging' },
    ])
    expect(omitted).toBe(0)
    const entry = await marks('statsPeriod=1h&limit=1')
    expect([entry.marks.length, entry.marks[0]?.environment, entry.omitted > 0]).toEqual([1, 'staging', true])
    const inStaging = (await marks('statsPeriod=1h&environment=staging')).marks.filter((mark) => mark.kind === 'deploy')
    expect(inStaging.map((mark) => mark.environment)).toEqual(['staging'])
    expect((await call('GET', `${O}/release-marks/?limit=0`)).status).toBe(400)
  })

  test.each([
    [{ environment: '' }, 'environment'],
    [{ environment: 'a/b' }, 'environment'],
    [{ environment: 'none' }, 'environment'],
    [{}, 'environment'],
    [{ environment: 'p', url: 'ftp://x' }, 'url'],
    [{ environment: 'p', dateStarted: ago(1), dateFinished: ago(2) }, 'dateStarted'],
    [{ environment: 'p', projects: ['api'] }, 'projects'],
  ])('refused: %j', async (body, field) => {
    await post(`${P}/releases/`, { version: 'webonly@1' })
    const answer = await post(`${O}/releases/webonly@1/deploys/`, body)
    expect([answer.status, Object.keys(answer.json ?? {})]).toEqual([400, [field]])
  })
})

describe('who may have brought an issue', () => {
  const committers = async (id: number) =>
    (await call('GET', `${P}/events/${hex(id)}/committers/`)).json as RestCommitters
  const setCommits = (version: string, commits: object[]) =>
    call('PUT', `${O}/releases/${encodeURIComponent(version)}/`, { body: { commits } })

  test('the commit that changed the top in-app frame’s file, with the reason', async () => {
    await setCommits('cart@2.0.0', [
      commit('later', -3600, [change('src/cart.ts')]),
      commit('order', 4_000, [change('src/order.ts')], { author_name: 'Ann', author_email: 'ann@example.test' }),
      commit('cart', 600 + 7_200, [change('src/cart.ts'), change('README.md')]),
      commit('gone', 9_000, [change('src/cart.ts', 'D')]),
      commit('docs', 9_500, [change('docs/cart.ts.md')]),
    ])
    const found = await committers(900)
    expect([found.state, found.releases]).toEqual(['found', ['cart@2.0.0']])
    expect(found.committers).toMatchObject([
      {
        author: { email: 'jo@example.test' },
        commits: [
          {
            id: 'cart',
            message: 'message of cart',
            release: 'cart@2.0.0',
            suspicion: {
              frame: 0,
              function: 'total',
              lineNo: 9,
              filename: '/srv/app/src/cart.ts',
              path: 'src/cart.ts',
              change: 'M',
              parts: 2,
              confidence: 'high',
              alike: 0,
              beforeMs: 7_200_000,
              sentence:
                'changed src/cart.ts, the file of the top in-app frame, line 9, 2 h before the issue was first seen',
            },
          },
        ],
      },
      { author: { name: 'Ann' }, commits: [{ id: 'order', suspicion: { frame: 1 } }] },
    ])
  })

  test('commits of releases that nobody used come with the next one', async () => {
    await post(`${P}/releases/`, { version: 'range@1.0.0' })
    await post(`${P}/releases/`, {
      version: 'range@1.1.0',
      commits: [commit('unused', 3_000, [change('src/cart.ts')])],
    })
    await post(`${P}/releases/`, { version: 'range@1.2.0', commits: [commit('own', 2_000, [change('src/other.ts')])] })
    await made().store([
      { ...inCart(901, 'range@1.0.0', nowS - 1_500), message: 'x', exception: undefined },
      { ...inCart(902, 'range@1.2.0', nowS - 1_000), fingerprint: ['range'] },
    ])
    const found = await committers(902)
    expect(found.releases).toEqual(['range@1.2.0', 'range@1.1.0'])
    expect(found.committers).toMatchObject([{ commits: [{ id: 'unused', release: 'range@1.1.0' }] }])
  })

  test('commits of another package in the same project did not bring it', async () => {
    await post(`${P}/releases/`, { version: 'mono-a@1.0.0', commits: [commit('of-a', 3_000, [change('src/cart.ts')])] })
    await post(`${P}/releases/`, { version: 'mono-b@1.0.0', commits: [commit('of-b', 2_000, [change('src/x.ts')])] })
    await made().store([{ ...inCart(903, 'mono-b@1.0.0', nowS - 1_000), fingerprint: ['mono'] }])
    const found = await committers(903)
    expect([found.releases, found.state]).toEqual([['mono-b@1.0.0'], 'no_match'])
  })

  test.each<[string, string, object[] | undefined, object, RestCommitters['state']]>([
    ['no release', '', undefined, {}, 'no_release'],
    ['a release without commits', 'bare@1', undefined, {}, 'no_commits'],
    ['commits without files', 'bare@2', [commit('x', 900, [])], {}, 'no_files'],
    [
      'no in-app frame',
      'bare@3',
      [commit('y', 900, [change('src/cart.ts')])],
      { exception: undefined, message: 'm' },
      'no_frames',
    ],
    ['other files only', 'bare@4', [commit('z', 900, [change('src/else.ts')])], {}, 'no_match'],
    ['commits that are later than the issue', 'bare@5', [commit('w', -9_000, [change('src/cart.ts')])], {}, 'no_match'],
  ])('nothing is guessed: %s', async (name, version, commits, more, expected) => {
    const id = 1_000 + name.length
    await made().store([{ ...inCart(id, version), fingerprint: [name], ...more }])
    if (commits) expect((await setCommits(version, commits)).status).toBe(200)
    const found = await committers(id)
    expect([found.state, found.committers]).toEqual([expected, []])
  })

  test('an event that is not there', async () =>
    expect((await call('GET', `${P}/events/${hex(5_000)}/committers/`)).status).toBe(404))
})

test('repositories: those that people made are listed, the others where they are asked for', async () => {
  await post(`${P}/releases/`, { version: 'repos@1', commits: [commit('a', 1, [], { repository: 'origin' })] })
  const names = async (query = '') =>
    ((await call('GET', `${O}/repos/${query}`)).json as { name: string }[]).map((item) => item.name)
  expect(await names()).toEqual([])
  const put = await post(`${O}/repos/`, { name: 'acme/listed', url: 'https://git.test/listed' })
  expect(put).toMatchObject({ status: 201, json: { name: 'acme/listed', url: null, provider: { id: 'unknown' } } })
  expect(await names()).toEqual(['acme/listed'])
  expect(await names('?named=1')).toEqual(expect.arrayContaining(['acme/listed', 'origin']))
  const [origin] = (await call('GET', `${O}/repos/?named=1&per_page=100`)).json as { id: string; name: string }[]
  expect((await call('GET', `${O}/repos/${origin?.id}/commits/`)).status).toBe(200)
  expect((await call('GET', `${O}/repos/999/commits/`)).status).toBe(404)
  expect((await post(`${O}/repos/`, { name: 'x', url: 'javascript:1' })).status).toBe(400)
  const path = `${O}/repos/${(put.json as { id: string }).id}/`
  expect((await call('DELETE', path)).status).toBe(204)
  expect((await call('DELETE', path)).status).toBe(404)
  expect((await call('DELETE', `${O}/repos/${origin?.id}/`)).status).toBe(404)
  expect([await names(), await names('?named=1')]).toEqual([[], expect.not.arrayContaining(['acme/listed'])])
})

describe('who may do what', () => {
  test.each<[Role | 'stranger', number, number]>([
    ['owner', 200, 201],
    ['admin', 200, 201],
    ['member', 200, 201],
    ['viewer', 200, 403],
    ['stranger', 404, 404],
  ])('%s: reads %i, writes %i', async (role, reads, writes) => {
    const { token } = await personAs(role === 'stranger' ? null : role, ['org:ci', 'event:read'])
    const R = `${O}/releases/cart@2.0.0`
    const ofRelease = ['/', '/commits/', '/commitfiles/', '/deploys/', '/previous-with-commits/'].map((end) => R + end)
    const lists = ['releases', 'repos', 'release-marks'].map((name) => `${O}/${name}/`)
    for (const path of [...ofRelease, ...lists, `${P}/events/${hex(900)}/committers/`])
      expect([path, (await call('GET', path, { token })).status]).toEqual([path, reads])
    const write = [
      [`${R}/deploys/`, { environment: role }],
      [`${O}/repos/`, { name: role }],
      [`${P}/releases/`, { version: `${role}@1` }],
    ] as const
    for (const [path, body] of write)
      expect([path, (await call('POST', path, { token, body })).status]).toEqual([path, writes])
  })
})
