import { beforeAll, describe, expect, test } from 'vitest'
import { permissions } from '../auth/may.ts'
import type { RestIssue } from '../contract/issues.ts'
import type { Role } from '../store/meta/meta.ts'
import { appForFile } from './app.cases.ts'
import { routes } from './routes.ts'
import { seedEvents } from './seed.cases.ts'

// Refusals of all changing routes, and both ends of each list.

const state: { issue?: RestIssue; keyId?: string } = {}
const { made } = appForFile()
const O = '/organizations/acme'
const P = '/projects/acme/web'

beforeAll(async () => {
  await made().store(seedEvents)
  const [issue] = (await made().call('GET', `${O}/issues/`)).json as RestIssue[]
  if (issue) state.issue = issue
  const [key] = (await made().call('GET', `${P}/keys/`)).json as { id: string }[]
  if (key) state.keyId = key.id
}, 30_000)

const filled = (path: string) =>
  path.replace(/:(\w+)/g, (_all, name: string) => {
    const values: Record<string, string | undefined> = {
      org: 'acme',
      team: 'acme',
      project: 'web',
      issue: state.issue?.id,
      key: state.keyId,
    }
    return values[name] ?? '1'
  })
const slug = '1 to 50 of a-z, 0-9 and -, not only digits.'

describe('bodies', () => {
  test.each<[method: string, path: string, body: unknown, fields: string[]]>([
    ['POST', `${O}/projects/`, {}, ['name']],
    ['POST', `${O}/projects/`, { name: '' }, ['name']],
    ['POST', `${O}/projects/`, { name: '   ' }, ['name']],
    ['POST', `${O}/projects/`, { name: 'x'.repeat(65) }, ['name']],
    ['POST', `${O}/projects/`, { name: 'a\u0000b' }, ['name']],
    ['POST', `${O}/projects/`, { name: 5 }, ['name']],
    ['POST', `${O}/projects/`, { name: 'A', slug: 'Up' }, ['slug']],
    ['POST', `${O}/projects/`, { name: 'A', slug: '123' }, ['slug']],
    ['POST', `${O}/projects/`, { name: 'A', slug: '' }, ['slug']],
    ['POST', `${O}/projects/`, { name: 'A', slug: '../x' }, ['slug']],
    ['POST', `${O}/projects/`, { name: 'A', platform: 'Java Script' }, ['platform']],
    ['POST', `${O}/projects/`, { name: '', slug: '1', platform: '' }, ['name', 'platform', 'slug']],
    ['POST', `${O}/projects/`, [], ['detail']],
    ['POST', `${O}/projects/`, 'null', ['detail']],
    ['POST', '/teams/acme/acme/projects/', { name: 5 }, ['name']],
    ['PUT', `${P}/`, { name: '' }, ['name']],
    ['PUT', `${P}/`, { slug: 'a b' }, ['slug']],
    ['PUT', `${P}/`, { platform: 7 }, ['platform']],
    ['PUT', `${P}/`, { allowedOrigins: 'https://a.test' }, ['allowedOrigins']],
    ['PUT', `${P}/`, { allowedOrigins: ['a b'] }, ['allowedOrigins']],
    ['PUT', `${P}/`, { allowedDomains: ['a,b'] }, ['allowedDomains']],
    ['PUT', `${P}/`, { allowedOrigins: Array.from({ length: 201 }, (_, i) => `a${i}.test`) }, ['allowedOrigins']],
    ['PUT', `${P}/`, { allowedOrigins: ['https://a.test/path'] }, ['allowedOrigins']],
    ['PUT', `${P}/`, { sensitiveFields: ['x'.repeat(201)] }, ['sensitiveFields']],
    ['PUT', `${P}/`, { safeFields: 'a' }, ['safeFields']],
    ['PUT', `${P}/`, { dataScrubber: 'no' }, ['dataScrubber']],
    ['PUT', `${P}/`, { dataScrubberDefaults: 0 }, ['dataScrubberDefaults']],
    ['PUT', `${P}/`, { scrubIPAddresses: null }, ['scrubIPAddresses']],
    ['PUT', `${P}/`, { revision: -1 }, ['revision']],
    ['PUT', `${P}/keys/:key/`, { revision: '1' }, ['revision']],
    ['PUT', `${O}/issues/:issue/`, { hasSeen: 'yes' }, ['hasSeen']],
    ['PUT', `${O}/issues/:issue/`, { revision: 1.5 }, ['revision']],
    ['POST', `${O}/projects/`, { name: '../..' }, ['name']],
    ['POST', `${P}/keys/`, { name: '' }, ['name']],
    ['POST', `${P}/keys/`, { rateLimit: 5 }, ['rateLimit']],
    ['POST', `${P}/keys/`, { rateLimit: { window: 0, count: 1 } }, ['rateLimit']],
    ['POST', `${P}/keys/`, { rateLimit: { window: 60 } }, ['rateLimit']],
    ['PUT', `${P}/keys/:key/`, { isActive: 'yes' }, ['isActive']],
    ['PUT', `${P}/keys/:key/`, { rateLimit: { window: 86_401, count: 1 } }, ['rateLimit']],
    ['PUT', `${P}/keys/:key/`, { rateLimit: { window: 60, count: 1.5 } }, ['rateLimit']],
    ['PUT', `${P}/keys/:key/`, { label: 'x'.repeat(65) }, ['label']],
    ['PUT', `${O}/issues/:issue/`, { status: 'gone' }, ['status']],
    ['PUT', `${O}/issues/:issue/`, { status: null }, ['status']],
    ['PUT', `${O}/issues/:issue/`, { assignedTo: 7 }, ['assignedTo']],
    ['PUT', `${O}/issues/:issue/`, { assignedTo: 'nobody@example.test' }, ['assignedTo']],
    ['PUT', `${O}/issues/:issue/`, { substatus: 'x'.repeat(65) }, ['substatus']],
    ['PUT', '/issues/:issue/', { statusDetails: [] }, ['statusDetails']],
    ['PUT', `${O}/issues/`, { status: 'resolved' }, ['id']],
    ['PUT', `${O}/issues/?id=x`, { status: 'resolved' }, ['id']],
    ['PUT', `${O}/issues/?id=-1`, { status: 'resolved' }, ['id']],
    ['PUT', `${O}/issues/?id=1&id=`, { status: 'resolved' }, ['id']],
    ['PUT', `${P}/issues/`, { status: 'resolved' }, ['id']],
    ['POST', `${O}/issues/:issue/comments/`, {}, ['text']],
    ['POST', `${O}/issues/:issue/notes/`, { text: ' \n ' }, ['text']],
    ['POST', `${O}/issues/:issue/notes/`, { text: 'x'.repeat(10_001) }, ['text']],
    ['POST', '/issues/:issue/comments/', { text: ['a'] }, ['text']],
  ])('%s %s refuses %.80j', async (method, path, body, fields) => {
    const answer = await made().call(method, filled(path), { body })
    expect([answer.status, Object.keys(answer.json).sort()]).toEqual([400, fields])
    for (const sentences of Object.values(answer.json as Record<string, string[]>)) {
      expect(sentences.length).toBeGreaterThan(0)
      for (const sentence of sentences) expect(sentence).toMatch(/\S{3}/)
    }
  })

  test('a field’s sentence says what is allowed', async () => {
    const answer = await made().call('PUT', `${P}/`, { body: { slug: 'A' } })
    expect(answer.json).toEqual({ slug: [slug] })
  })

  test.each(['{', '"', 'name=x', '{"name":"a"} x', '\u0000'])('no JSON: %j', async (body) => {
    const answer = await made().call('POST', `${O}/projects/`, { body })
    expect([answer.status, answer.json]).toMatchObject([400, { code: 'VALIDATION', causes: [expect.any(String)] }])
  })

  test('nothing of what was refused has stayed', async () => {
    expect((await made().call('GET', `${O}/projects/`)).json).toMatchObject([{ slug: 'web', name: 'Web' }])
    expect((await made().call('GET', `${P}/keys/`)).json).toHaveLength(1)
    expect((await made().call('GET', `/issues/${state.issue?.id}/`)).json).toMatchObject({
      status: 'unresolved',
      assignedTo: null,
      numComments: 0,
    })
  })
})

/** Valid bodies for changing routes. */
const bodies: Record<string, unknown> = {
  createProject: { name: 'New' },
  createTeamProject: { name: 'New' },
  updateProject: { platform: 'node' },
  createKey: { name: 'New' },
  updateKey: { label: 'New' },
  organizationIssueAddNote: { text: 'hi' },
  organizationIssueAddComment: { text: 'hi' },
  issueAddNote: { text: 'hi' },
  issueAddComment: { text: 'hi' },
  createDashboard: { title: 'New' },
  createAlertRule: { name: 'New', issue: { when: [{ type: 'new' }] } },
  previewAlertRule: { rule: { name: 'New', issue: { when: [{ type: 'new' }] } } },
  backTestAlertRule: {
    rule: {
      name: 'New',
      metric: {
        plan: { dataset: 'errors', series: [{ name: 'a', aggregate: 'count()' }] },
        of: 'a',
        windowMinutes: 5,
        threshold: { type: 'fixed', direction: 'above', critical: 5 },
      },
    },
    days: 1,
  },
  changeIncident: { status: 'acknowledged' },
  createMute: { kind: 'organization', name: 'Move', end: '2999-01-01T00:00:00Z' },
  createOnCallSchedule: { name: 'New', timeZone: 'UTC', members: [] },
  createOnCallOverride: { person: 'x', start: '2999-01-01T00:00:00Z', end: '2999-01-02T00:00:00Z' },
  setFavouriteDashboard: { isFavorited: true },
  previewDashboardWidget: { widget: { displayType: 'text' } },
  createChannel: { kind: 'slack', name: 'New', target: 'https://chat.test/x' },
  updateMember: { role: 'viewer' },
  invite: { email: 'new@example.test', role: 'viewer' },
  updateFeedback: { status: 'spam' },
  createSavedQuery: { name: 'New', plan: { dataset: 'errors' } },
  createExport: { plan: { dataset: 'errors' } },
  runSql: { sql: 'SELECT 1' },
  setMailServer: { host: 'mail.test', port: 25, security: 'none', from: 'm@x.test' },
}
/** Routes that need no role or scope. */
type Open = 'signed-in' | 'session'
const isOpenTo = (action: (typeof routes)[number]['action']): action is Open =>
  action === 'signed-in' || action === 'session'
/** Returns a role that is allowed, so that only the missing scope causes the refusal. */
const roleFor = (item: (typeof routes)[number]): Role =>
  isOpenTo(item.action) || permissions[item.action].roles.includes('admin') ? 'admin' : 'owner'
/** They read. They have a body, because a query is too long for an address. */
const asking = new Set(['explore', 'explainPlan', 'backTestAlertRule', 'previewAlertRule'])
const changing = routes.filter(
  ({ method, path, operationId }) => method !== 'GET' && !path.startsWith('/api-tokens') && !asking.has(operationId),
)
const call = (item: (typeof routes)[number], token: string) => {
  const query = /^update(Project)?Issues$/.test(item.operationId) ? `?id=${state.issue?.id}` : ''
  return made().call(item.method, `${filled(item.path)}/${query}`, {
    token,
    ...(item.body ? { body: bodies[item.operationId] ?? {} } : {}),
  })
}

describe('who may not', () => {
  const person = async (role: Role) => {
    const { app, organization } = made()
    const email = `${role}@example.test`
    const found =
      (await app.auth.personByEmail(email)) ??
      (await app.auth.createPerson({ name: role, email, password: 'another long password' }))
    await app.meta.organizations.setMember(organization.id, found.id, role)
    return found
  }
  const tokenOf = async (role: Role, scopes: string[]) =>
    (await made().app.auth.createToken(await person(role), 't', scopes, null)).secret

  test('there are routes to look at', () => {
    expect(changing.length).toBeGreaterThan(10)
  })

  test.each(changing.map((item) => [item.operationId, item] as const))(
    '%s: a token without the scope, with the scope to read',
    async (_name, item) => {
      const token = await tokenOf(roleFor(item), ['org:read', 'project:read', 'event:read', 'member:read'])
      const answer = await call(item, token)
      expect([answer.status, answer.json]).toMatchObject([403, { code: 'AUTH_TOKEN_SCOPE' }])
    },
  )

  test.each(
    routes.filter(({ operationId }) => asking.has(operationId)).map((item) => [item.operationId, item] as const),
  )('%s: a token without the scope to read events', async (_name, item) => {
    const answer = await call(item, await tokenOf(roleFor(item), ['member:read', 'project:read']))
    expect([answer.status, answer.json]).toMatchObject([403, { code: 'AUTH_TOKEN_SCOPE' }])
  })

  const roles: Role[] = ['owner', 'admin', 'member', 'viewer']
  const everyScope = ['org:admin', 'project:admin', 'event:admin']
  /** Routes with a permission, with the roles that have it and those that lack it. */
  const asked = routes.flatMap((route) => {
    if (isOpenTo(route.action) || route.path.startsWith('/api-tokens')) return []
    const { roles: may } = permissions[route.action]
    return [{ name: route.operationId, one: route, may, mayNot: roles.filter((role) => !may.includes(role)) }]
  })

  test.each(asked.flatMap(({ name, one, mayNot }) => mayNot.map((role) => [name, role, one] as const)))(
    '%s: one who is %s, whatever the token',
    async (_name, role, item) => {
      const answer = await call(item, await tokenOf(role, everyScope))
      expect([answer.status, answer.json]).toMatchObject([403, { code: 'AUTH_FORBIDDEN' }])
    },
  )

  // A live stream never ends by itself. Actions without scopes refuse all tokens.
  const lists = asked.filter(
    ({ one }) =>
      one.method === 'GET' &&
      one.produces !== 'text/event-stream' &&
      !isOpenTo(one.action) &&
      permissions[one.action].scopes.length > 0,
  )
  test.each(lists.flatMap(({ name, one, may }) => may.map((role) => [name, role, one] as const)))(
    '%s: one who is %s is not refused what they may read',
    async (_name, role, item) => {
      expect([401, 403]).not.toContain((await call(item, await tokenOf(role, everyScope))).status)
    },
  )

  test.each(asked.map(({ name, one }) => [name, one] as const))('%s: a stranger finds nothing', async (_name, item) => {
    const { app } = made()
    const value = { name: 'Eve', email: 'eve@example.test', password: 'another long password' }
    const eve = (await app.auth.personByEmail(value.email)) ?? (await app.auth.createPerson(value))
    const { secret } = await app.auth.createToken(eve, 't', everyScope, null)
    expect((await call(item, secret)).status).toBe(404)
  })

  test('a token bound to another organization sees nothing here', async () => {
    const { app } = made()
    const admin = await person('admin')
    const other = await app.meta.organizations.createOrganization({
      slug: 'elsewhere',
      name: 'Elsewhere',
      ownerUserId: admin.id,
    })
    const { secret } = await app.auth.createToken(admin, 't', ['org:admin', 'project:admin', 'event:admin'], other.id)
    expect((await made().call('GET', `${O}/projects/`, { token: secret })).status).toBe(404)
    expect((await made().call('GET', `/issues/${state.issue?.id}/`, { token: secret })).status).toBe(404)
    expect((await made().call('GET', '/organizations/', { token: secret })).json).toMatchObject([{ slug: 'elsewhere' }])
  })

  describe('a token of an organization', () => {
    const secretIn = async (slug: string) => {
      const { app } = made()
      const owner = await person('owner')
      const there = await app.meta.organizations.organizationBySlug(slug)
      const organization =
        there ?? (await app.meta.organizations.createOrganization({ slug, name: slug, ownerUserId: owner.id }))
      return (await app.auth.createOrganizationToken(owner, 'ci', organization)).secret
    }
    const scopesOf = ({ action }: (typeof routes)[number]) =>
      action === 'session' ? [] : action === 'signed-in' ? ['org:ci'] : permissions[action].scopes
    const isOpen = ({ operationId }: (typeof routes)[number]) =>
      ['root', 'regions', 'listOrganizations'].includes(operationId)
    const shut = routes.filter((route) => !isOpen(route))

    test('is for builds: every route without org:ci refuses it, and tells nothing of whoever made it', async () => {
      const token = await secretIn('acme')
      const passed: string[] = []
      for (const item of shut.filter(
        ({ action }) => isOpenTo(action) || !permissions[action].scopes.includes('org:ci'),
      ))
        if (![403, 404].includes((await call(item, token)).status)) passed.push(item.operationId)
      expect(passed).toEqual([])
      expect((await made().call('GET', '/organizations/', { token })).json).toEqual([])
      expect((await made().call('GET', '/', { token })).json).toMatchObject({ user: null })
    })

    test('of another organization sees no route of this one, whoever made it', async () => {
      const token = await secretIn('beside')
      const passed: string[] = []
      for (const item of shut.filter((route) => /:org|:issue/.test(route.path) && scopesOf(route).length > 0))
        if ((await call(item, token)).status !== 404) passed.push(item.operationId)
      expect(passed).toEqual([])
    })
  })

  test('nothing of what was refused has happened', async () => {
    expect((await made().call('GET', `${O}/projects/`)).json).toMatchObject([
      { slug: 'web', platform: 'javascript-react' },
    ])
    expect((await made().call('GET', `${P}/keys/`)).json).toMatchObject([{ label: 'Default' }])
  })
})

describe('both ends of a list', () => {
  type Ends = Record<'previous' | 'next', { url: string; results: string; cursor: string }>
  const endsOf = (headers: Headers): Ends => {
    const found = [
      ...(headers.get('link') ?? '').matchAll(/<([^>]+)>; rel="(\w+)"; results="(\w+)"; cursor="([^"]+)"/g),
    ]
    return Object.fromEntries(
      found.map(([, url = '', rel = '', results = '', cursor = '']) => [rel, { url, results, cursor }]),
    ) as Ends
  }
  const lists = (): [string, number][] => [
    [`${O}/issues/`, 3],
    [`${P}/issues/`, 3],
    [`/issues/${state.issue?.id}/events/`, 1],
  ]

  test('first page: nothing before it; last page: nothing behind it; each row once', async () => {
    for (const [path, rows] of lists()) {
      const seen: string[] = []
      let next = `${path}?limit=1`
      for (let page = 0; page < rows; page++) {
        const answer = await made().call('GET', next)
        expect([path, answer.status]).toEqual([path, 200])
        const ends = endsOf(answer.headers)
        expect([path, page, ends.previous.results, ends.next.results]).toEqual([
          path,
          page,
          String(page > 0),
          String(page < rows - 1),
        ])
        seen.push(...(answer.json as { id: string }[]).map((item) => item.id))
        const asked = new URL(ends.next.url).searchParams
        expect([asked.get('cursor'), asked.get('limit')]).toEqual([ends.next.cursor, '1'])
        next = ends.next.url.replace(/^.*\/api\/0/, '')
      }
      expect(new Set(seen).size).toBe(rows)
      const beyond = await made().call('GET', next)
      expect([beyond.status, beyond.json, endsOf(beyond.headers).next.results]).toEqual([200, [], 'false'])
    }
  })

  test.each(['x', '0:0:2', '1:2', "0:0:0'--", '9'.repeat(40)])(
    'a cursor of %j is refused by its field',
    async (cursor) => {
      for (const [path] of lists()) {
        const answer = await made().call('GET', `${path}?cursor=${encodeURIComponent(cursor)}`)
        expect([path, answer.status, Object.keys(answer.json)]).toEqual([path, 400, ['cursor']])
      }
    },
  )

  test.each([
    ['0', 400],
    ['-1', 400],
    ['x', 400],
    ['1.5', 400],
    ['9999999', 400],
    ['1000', 200],
    ['', 200],
  ])('a limit of %j answers %i', async (limit, status) => {
    expect((await made().call('GET', `${O}/issues/?limit=${limit}`)).status).toBe(status)
    expect((await made().call('GET', `${O}/issues/?per_page=${limit}`)).status).toBe(status)
  })
})
