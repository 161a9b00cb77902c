import { describe, expect, test } from 'vitest'
import type { RestProject } from '../contract/projects.ts'
import type { RestTeam } from '../contract/teams.ts'
import { appForFile } from './app.cases.ts'

const { made, call, personAs } = appForFile()
const O = '/organizations/acme'
const T = '/teams/acme/acme'

describe('the one team of an organization', () => {
  test('is listed with its projects, and stands in the organization and in each project', async () => {
    const list = (await call('GET', `${O}/teams/`)).json as RestTeam[]
    const id = String(made().organization.id)
    expect(list).toMatchObject([
      {
        id,
        slug: 'acme',
        name: 'Acme',
        isMember: true,
        hasAccess: true,
        isPending: false,
        memberCount: 1,
        projects: [{ slug: 'web', team: { id, slug: 'acme', name: 'Acme' }, teams: [{ id, slug: 'acme' }] }],
      },
    ])
    const slim = (await call('GET', `${O}/teams/?detailed=0`)).json as RestTeam[]
    expect(slim[0]?.projects).toBeUndefined()
    for (const path of [`${T}/`, `/teams/acme/${id}/`])
      expect((await call('GET', path)).json).toMatchObject({ id, slug: 'acme', organization: { slug: 'acme' } })
    expect((await call('GET', `${O}/`)).json).toMatchObject({ teams: [{ id, slug: 'acme' }] })
    expect((await call('GET', '/projects/acme/web/teams/')).json).toMatchObject([{ id, slug: 'acme' }])
    expect((await call('GET', '/teams/acme/other/')).status).toBe(404)
  })

  test('has everyone: members, and who comes later', async () => {
    const member = await personAs('member')
    expect((await call('GET', `${T}/members/`)).json).toMatchObject([
      { email: 'owner@example.test', teamSlug: 'acme', teamRole: 'contributor', orgRole: 'owner' },
      { email: 'member@example.test', teamSlug: 'acme' },
    ])
    expect((await call('POST', `${O}/members/${member.id}/teams/acme/`)).status).toBe(201)
    expect((await call('POST', `${O}/members/nobody/teams/acme/`)).status).toBe(404)
  })

  test('a project is made in it, listed in it, and added to it again without harm', async () => {
    const project = await call('POST', `${T}/projects/`, { body: { name: 'Shop', slug: 'shop', default_rules: false } })
    expect([project.status, project.json]).toMatchObject([201, { slug: 'shop', teams: [{ slug: 'acme' }] }])
    const projects = (await call('GET', `${T}/projects/`)).json as RestProject[]
    expect(projects.map((item) => item.slug)).toEqual(['shop', 'web'])
    const added = await call('POST', '/projects/acme/shop/teams/acme/')
    expect([added.status, added.json]).toMatchObject([201, { slug: 'shop', teams: [{ slug: 'acme' }] }])
    expect((await call('POST', '/projects/acme/shop/teams/other/')).status).toBe(404)
    expect((await call('POST', '/teams/acme/other/projects/', { body: { name: 'X' } })).status).toBe(404)
  })

  test.each([
    ['POST', `${O}/teams/`, { name: 'Own', slug: 'own' }],
    ['PUT', `${T}/`, { name: 'Own' }],
    ['DELETE', `${T}/`, undefined],
    ['DELETE', '/projects/acme/web/teams/acme/', undefined],
    ['DELETE', `${O}/members/1/teams/acme/`, undefined],
  ])('%s %s is not there yet, and says so', async (method, path, body) => {
    const answer = await call(method, path, body === undefined ? {} : { body })
    expect([answer.status, answer.json]).toMatchObject([
      501,
      { code: 'TEAMS_NOT_BUILT', detail: 'Teams cannot be created, changed or deleted yet.' },
    ])
  })

  test('strangers see none, a token needs a scope of it', async () => {
    const [stranger, scoped, wrong] = [
      await personAs(null),
      await personAs('viewer', ['team:read']),
      await personAs('viewer', ['project:read'], 'unscoped'),
    ]
    const statuses = async (path: string) =>
      Promise.all([stranger, scoped, wrong].map(async ({ token }) => (await call('GET', path, { token })).status))
    expect(await statuses(`${O}/teams/`)).toEqual([404, 200, 403])
    expect(await statuses(`${T}/projects/`)).toEqual([404, 200, 403])
  })

  test('after the organization is renamed, the old slug of the team still leads to it', async () => {
    await call('PUT', `${O}/`, { body: { slug: 'acme-inc' } })
    expect((await call('GET', '/teams/acme-inc/acme/')).json).toMatchObject({ slug: 'acme-inc' })
    const moved = await call('GET', T)
    expect([moved.status, moved.headers.get('location')]).toEqual([302, '/api/0/teams/acme-inc/acme/'])
    await call('PUT', '/organizations/acme-inc/', { body: { slug: 'acme' } })
  })

  test('the fields without which clients with generated code read none', async () => {
    const fields = {
      [`${O}/`]: ['id', 'name', 'slug', 'orgRoleList', 'teamRoleList', 'features', 'teams'],
      [`${T}/`]: ['id', 'slug', 'name', 'hasAccess', 'isPending', 'isMember', 'dateCreated', 'memberCount'],
      '/projects/acme/web/': [
        ...['id', 'name', 'slug', 'organization', 'platform', 'dateCreated', 'teams', 'features', 'options', 'color'],
        ...['isPublic', 'digestsMinDelay', 'digestsMaxDelay', 'resolveAge', 'fingerprintingRules'],
        ...['groupingEnhancements', 'allowedDomains', 'scrapeJavaScript', 'subjectTemplate', 'securityToken'],
        ...['securityTokenHeader', 'verifySSL'],
      ],
      [`${O}/members/${(await personAs('member')).id}/`]: [
        ...['id', 'email', 'name', 'pending', 'expired', 'orgRole', 'orgRoleList', 'teamRoles', 'teamRoleList'],
      ],
    }
    for (const [path, names] of Object.entries(fields)) {
      const answer = (await call('GET', path)).json as object
      expect([path, names.filter((name) => !Object.hasOwn(answer, name))]).toEqual([path, []])
    }
  })
})
