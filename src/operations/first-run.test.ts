import { describe, expect, test } from 'vitest'
import { scopes } from '../auth/may.ts'
import { failure, good, rigForFile, url } from '../auth/rig.cases.ts'
import { selfProject } from '../query/self-project.ts'
import { bootstrap, type FirstRun, setUp } from './first-run.ts'
import { ensureSelfProject } from './self-project.ts'

const { fresh } = rigForFile()

describe('bootstrap', () => {
  const request = {
    org: 'Acme Inc.',
    project: 'Web shop',
    platform: 'javascript-react',
    email: good.email,
    password: good.password,
  }

  test('makes everything, then finds it again with a fresh token', async () => {
    const { auth, meta } = await fresh()
    const first = await bootstrap({ meta, auth, url }, request)
    const second = await bootstrap({ meta, auth, url }, request)
    expect(first).toMatchObject({
      organization: { id: 1, slug: 'acme-inc' },
      project: { id: 1, slug: 'web-shop' },
      dsn: expect.stringMatching(/^http:\/\/[0-9a-f]{32}@localhost:9000\/1$/),
    })
    expect({ ...second, token: '' }).toEqual({ ...first, token: '' })
    expect(second.token).not.toBe(first.token)
    expect((await auth.actorOf(new Headers({ authorization: `Bearer ${first.token}` })))?.kind).toBe('token')
    expect((await meta.projects.projectById(1))?.platform).toBe('javascript-react')
    expect((await bootstrap({ meta, auth, url }, { ...request, project: 'Api' })).project).toEqual({
      id: 2,
      slug: 'api',
    })
  })

  test.each([
    ['12345', 'web', ['org-12345', 'web']],
    ['Acme', '007', ['acme', 'project-007']],
    ['\u65e5\u672c', '2024-01', ['org-cf2abf0c', '2024-01']],
  ])('names %j and %j get slugs of their own, and lead back to them', async (org, project, slugs) => {
    const { auth, meta } = await fresh()
    const created = await bootstrap({ meta, auth, url }, { ...request, org, project })
    expect([created.organization.slug, created.project.slug]).toEqual(slugs)
    expect(await bootstrap({ meta, auth, url }, { ...request, org, project })).toMatchObject({
      organization: created.organization,
      project: created.project,
    })
    const other = await bootstrap({ meta, auth, url }, { ...request, org: `${org}1`, project })
    expect(other.organization.slug).not.toBe(created.organization.slug)
  })

  test.each([
    [{ org: '../..' }, 'org'],
    [{ org: ' ' }, 'org'],
    [{ project: '???' }, 'project'],
  ])('%j: nothing is made without a letter or digit', async (names, field) => {
    const { auth, meta } = await fresh()
    const error = await failure(bootstrap({ meta, auth, url }, { ...request, ...names }))
    expect([error.code, error.message, Object.keys(error.fields ?? {})]).toEqual([
      'VALIDATION',
      'Use at least one letter or digit.',
      [field],
    ])
    expect([await meta.people.isEmpty(), await meta.organizations.organizations()]).toEqual([true, []])
  })

  test('the command in the middle of a first run wins; several commands at once all do their work', async () => {
    const { auth, meta } = await fresh()
    const browser = auth.setUp(async () => {
      await bootstrap({ meta, auth, url }, request)
      return auth.createPerson({ ...good, email: 'eve@example.com' }, { first: true })
    })
    expect((await failure(browser)).message).toBe('Mishap is already set up.')
    const more = ['B', 'C'].map((org) =>
      bootstrap({ meta, auth, url }, { ...request, org, email: `${org}@example.com` }),
    )
    expect((await Promise.all(more)).map((item) => item.organization.slug)).toEqual(['b', 'c'])
  })

  test('another password, or an organization of somebody else, is refused', async () => {
    const { auth, meta } = await fresh()
    await bootstrap({ meta, auth, url }, request)
    expect((await failure(bootstrap({ meta, auth, url }, { ...request, password: 'wrong horse 99' }))).code).toBe(
      'AUTH_FAILED',
    )
    expect((await failure(bootstrap({ meta, auth, url }, { ...request, email: 'eve@example.com' }))).code).toBe(
      'AUTH_FORBIDDEN',
    )
    const long = { ...request, email: 'eve@example.com', org: 'new', project: 'x'.repeat(65) }
    expect((await failure(bootstrap({ meta, auth, url }, long))).code).toBe('VALIDATION')
    expect([(await meta.projects.projectsOf(1)).length, await auth.personByEmail('eve@example.com')]).toEqual([
      1,
      undefined,
    ])
  })

  test('names the person by the address where nothing else was given, and ends the session of its check', async () => {
    const { auth, meta } = await fresh()
    const ended: string[] = []
    const { signOut } = auth
    auth.signOut = async (headers) => {
      ended.push(headers.get('cookie') ?? '')
      return signOut(headers)
    }
    await bootstrap({ meta, auth, url }, request)
    const again = await bootstrap({ meta, auth, url }, { ...request, name: 'Other', ciToken: true })
    expect((await auth.personByEmail(good.email))?.name).toBe('Ann')
    expect(ended).toEqual([expect.stringMatching(/^mishap\.session_token=[^;]+$/)])
    expect(await auth.actorOf(new Headers({ cookie: ended[0] ?? '' }))).toBeUndefined()
    const builds = await auth.actorOf(new Headers({ authorization: `Bearer ${again.ciToken}` }))
    expect(builds).toMatchObject({ kind: 'token', ofOrganization: true, scopes: ['org:ci'] })
    const own = await auth.actorOf(new Headers({ authorization: `Bearer ${again.token}` }))
    expect(own).toMatchObject({ kind: 'token', organizationId: 1, scopes: [...scopes] })
    const named = await bootstrap({ meta, auth, url }, { ...request, org: 'B', email: 'b@example.com', name: 'Bea' })
    expect([(await auth.personByEmail('b@example.com'))?.name, named.ciToken]).toEqual(['Bea', undefined])
  })

  test('takes no password that is the name of the organization, and tells who is refused', async () => {
    const { auth, meta } = await fresh()
    const weak = { ...request, org: 'Rainbow', password: 'rainbow-2026' }
    expect((await failure(bootstrap({ meta, auth, url }, weak))).fields).toHaveProperty('password')
    await bootstrap({ meta, auth, url }, request)
    const viewer = await auth.createPerson({ ...good, email: 'vera@example.com' })
    for (const [role, code] of [
      ['viewer', 'AUTH_FORBIDDEN'],
      ['admin', 'done'],
    ] as const) {
      await meta.organizations.setMember(1, viewer.id, role)
      const found = await bootstrap({ meta, auth, url }, { ...request, email: 'vera@example.com' }).catch(
        (error: Error & { code: string }) => error,
      )
      expect('code' in found ? found.code : 'done').toBe(code)
      if ('code' in found)
        expect(found.message).toBe('vera@example.com is not an owner or admin of the organization "acme-inc".')
    }
  })
})

describe('the project that the screens report to', () => {
  test('the own project is made once', async () => {
    const { meta } = await fresh()
    await meta.organizations.createOrganization({ slug: 'acme', name: 'Acme', ownerUserId: 'ann' })
    const { project, key } = await ensureSelfProject(meta, 1)
    expect(project).toMatchObject({ slug: 'mishap', platform: 'javascript-nextjs' })
    expect(await ensureSelfProject(meta, 1)).toEqual({ project, key })
    // A project created by a version that stored no id, and then renamed.
    const { meta: older } = await fresh()
    await older.organizations.createOrganization({ slug: 'acme', name: 'Acme', ownerUserId: 'ann' })
    const { id } = await older.projects.createProject({
      organizationId: 1,
      slug: 'mishap',
      name: 'Mishap',
      platform: null,
    })
    await older.projects.updateProject(id, { slug: 'own' })
    expect((await selfProject(older, 1))?.id).toBe(id)
    // Renamed, and another project took its first slug: the lookup still finds it.
    await meta.projects.updateProject(project.id, { slug: 'inside' })
    await meta.projects.createProject({ organizationId: 1, slug: 'mishap', name: 'Mishap', platform: null })
    expect([(await ensureSelfProject(meta, 1)).project.id, await selfProject(meta, 2)]).toEqual([project.id, undefined])
  })
})

describe('the first run in the browser', () => {
  const asked: FirstRun = {
    name: ' Ann ',
    email: good.email,
    password: good.password,
    organization: 'Mishap',
    project: 'Mishap',
    platform: null,
  }
  const run = async (selfReporting: boolean, change: Partial<FirstRun> = {}) => {
    const { auth, meta } = await fresh()
    const published: number[] = []
    const publishKeys = async () => void published.push((await meta.projects.projectsOf(1)).length)
    const created = setUp({ auth, meta, publishKeys, config: { selfReporting } }, { ...asked, ...change })
    return { meta, published, made: created }
  }

  test.each([
    [true, ['mishap', 'mishap-2']],
    [false, ['mishap']],
  ])('self-reporting %s: projects %j, and their keys are published once', async (selfReporting, slugs) => {
    const { meta, published, made: created } = await run(selfReporting)
    const { organization, project } = await created
    expect([organization.slug, project.slug]).toEqual(['mishap', slugs.at(-1)])
    expect((await meta.projects.projectsOf(1)).map((item) => item.slug)).toEqual(slugs)
    expect(
      await Array.fromAsync(
        await meta.projects.projectsOf(1),
        async (item) => (await meta.projects.keysOf(item.id)).length,
      ),
    ).toEqual(slugs.map(() => 1))
    expect((await meta.organizations.memberOf(1, (await meta.people.personByEmail(good.email))?.id ?? ''))?.role).toBe(
      'owner',
    )
    expect(published).toEqual([slugs.length])
  })

  test('a password that is refused leaves nothing behind', async () => {
    const { meta, published, made: created } = await run(true, { password: 'short' })
    expect((await failure(created)).code).toBe('VALIDATION')
    expect([await meta.people.isEmpty(), await meta.organizations.organizations(), published]).toEqual([true, [], []])
  })
})
