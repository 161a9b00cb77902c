import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, test } from 'vitest'
import type { RestEvent } from '../contract/events.ts'
import type { RestIssue, RestIssueDetail } from '../contract/issues.ts'
import { appForFile, type TestApp } from './app.cases.ts'
import { openapiText } from './openapi.ts'
import { routes } from './routes.ts'
import { hex, seedAttachments, seedEvents, streamCases } from './seed.cases.ts'

const state: { ids: string[] } = { ids: [] }
const { made } = appForFile()
const get = (path: string, options?: Parameters<TestApp['call']>[2]) => made().call('GET', path, options)
const O = '/organizations/acme'
const P = '/projects/acme/web'

beforeAll(async () => {
  state.ids = await made().store(seedEvents, seedAttachments)
}, 30_000)

async function titles(query: string): Promise<string[]> {
  const answer = await get(`${O}/issues/?${query}`)
  if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`)
  return (answer.json as RestIssue[]).map((item) => item.metadata.type ?? item.title)
}
async function issueOf(type: string): Promise<RestIssue> {
  const found = (await get(`${O}/issues/?query=${encodeURIComponent(type)}`)).json as RestIssue[]
  if (!found[0]) throw new Error(`no issue ${type}`)
  return found[0]
}

describe('issue stream', () => {
  test.each(streamCases)('%s', async (query, expected) => {
    expect(await titles(query.replaceAll(' ', '%20').replaceAll('>', '%3E').replaceAll('+', '%2B'))).toEqual(expected)
  })

  test('counts, users, points and place of an issue', async () => {
    const issue = await issueOf('TypeError')
    expect(issue).toMatchObject({
      count: '3',
      userCount: 2,
      shortId: expect.stringMatching(/^WEB-\w+$/),
      status: 'unresolved',
      substatus: 'new',
      project: { slug: 'web' },
      lifetime: { count: '3', userCount: 2 },
      permalink: `http://mishap.test/o/acme/issues/${issue.id}`,
    })
    const points = issue.stats['14d'] ?? []
    expect(points.length).toBeGreaterThan(20)
    expect(points.reduce((sum, [, events]) => sum + events, 0)).toBe(3)
    const staging = ((await get(`${O}/issues/?environment=staging`)).json as RestIssue[])[0]
    expect(staging).toMatchObject({ count: '1', userCount: 1, lifetime: { count: '3', userCount: 2 } })
  })

  test.each(['date', 'new', 'freq', 'user'])('pages by %s: every issue once, both links always', async (sort) => {
    const seen: string[] = []
    let next = `${O}/issues/?sort=${sort}&limit=1&query=`
    for (let page = 0; page < 5; page++) {
      const answer = await get(next)
      expect(answer.headers.get('x-hits')).toBe('3')
      const link = answer.headers.get('link') ?? ''
      const links = [...link.matchAll(/<([^>]+)>; rel="(\w+)"; results="(\w+)"; cursor="(\d+:\d+:[01])"/g)]
      expect(links.map((item) => item[2])).toEqual(['previous', 'next'])
      expect(links[0]?.[3]).toBe(String(page > 0))
      seen.push(...(answer.json as RestIssue[]).map((item) => item.id))
      if (links[1]?.[3] === 'false') break
      next = (links[1]?.[1] ?? '').replace('http://mishap.test/api/0', '')
    }
    expect(seen.length).toBe(3)
    expect(new Set(seen).size).toBe(3)
  })

  test('an organization has the fields without which sentry-cli reads none', async () => {
    const fields = { isEarlyAdopter: false, require2FA: false, requireEmailVerification: false }
    expect((await get('/organizations/')).json).toMatchObject([fields])
  })

  test('an offset cursor of another client works', async () => {
    expect((await titles('cursor=0:1:0&limit=1&query=')).length).toBe(1)
  })

  test.each([
    ['query=is:lost', 400, 'QUERY_TYPE'],
    ['query=(a', 400, 'QUERY_SYNTAX'],
    [`query=${'x'.repeat(5000)}`, 400, 'QUERY_TOO_LONG'],
    ['project=nope', 404, 'NOT_FOUND'],
    ['project=999', 404, 'NOT_FOUND'],
  ])('%s is refused', async (query, status, code) => {
    const answer = await get(`${O}/issues/?${query}`)
    expect(answer.status).toBe(status)
    expect(answer.json).toMatchObject({ code, causes: expect.any(Array) })
    if (status === 400) expect((answer.json as { detail: string }).detail).toMatch(/^Invalid query/)
  })

  test.each([
    ['statsPeriod=soon', 'statsPeriod'],
    ['start=2026-01-02&end=2026-01-01', 'start'],
    ['start=2026-01-02', 'end'],
    ['cursor=x', 'cursor'],
    ['limit=0', 'limit'],
    ['sort=size', 'sort'],
  ])('%s answers its field', async (query, field) => {
    const answer = await get(`${O}/issues/?${query}`)
    expect([answer.status, Object.keys(answer.json)]).toEqual([400, [field]])
  })
})

describe('one issue', () => {
  test('by id, with and without organization, by short id, with and without a slash', async () => {
    const { id, shortId } = await issueOf('TypeError')
    for (const path of [
      `${O}/issues/${id}/`,
      `${O}/issues/${id}`,
      `/issues/${id}/`,
      `${O}/issues/${shortId.toLowerCase()}/`,
      `/issues/${shortId}/`,
    ]) {
      const answer = await get(path)
      expect([path, answer.status, (answer.json as RestIssueDetail).id]).toEqual([path, 200, id])
      expect((answer.json as RestIssueDetail).tags.find((tag) => tag.key === 'fruit')?.totalValues).toBe(3)
    }
    expect((await get(`${O}/shortids/${shortId}/`)).json).toMatchObject({
      organizationSlug: 'acme',
      projectSlug: 'web',
      groupId: id,
    })
    expect(await titles(`shortIdLookup=1&query=${shortId}`)).toEqual(['TypeError'])
    expect(await titles(`query=issue:${shortId}`)).toEqual(['TypeError'])
    expect(await titles(`query=${shortId}`)).toEqual(['TypeError'])
  })

  test('resolve, undo, assign, comment, activity', async () => {
    const { id } = await issueOf('disk nearly full')
    const told: unknown[] = []
    const stop = made().app.live.subscribe(made().organization.id, 0, (_id, change) => told.push(change))
    const resolved = await made().call('PUT', `${O}/issues/${id}/`, { body: { status: 'resolved' } })
    expect(resolved.json).toMatchObject({ status: 'resolved', substatus: null })
    expect(await titles('query=is:resolved')).toEqual(['disk nearly full'])
    await made().call('PUT', `${O}/issues/?id=${id}`, { body: { status: 'unresolved', substatus: 'new' } })
    expect((await get(`/issues/${id}/`)).json).toMatchObject({ status: 'unresolved', substatus: 'new' })
    expect(
      (await made().call('PUT', `/issues/${id}/`, { body: { assignedTo: 'owner@example.test' } })).json,
    ).toMatchObject({ assignedTo: { email: 'owner@example.test' } })
    expect(await titles('query=assigned:me')).toEqual(['disk nearly full'])
    expect((await made().call('PUT', `/issues/${id}/`, { body: { assignedTo: 'nobody@example.test' } })).status).toBe(
      400,
    )
    const statusDetails = { inRelease: 'x'.repeat(5000) }
    const long = await made().call('PUT', `/issues/${id}/`, { body: { status: 'resolved', statusDetails } })
    expect([long.status, long.json]).toEqual([400, { statusDetails: [expect.any(String)] }])
    expect((await made().call('POST', `${O}/issues/${id}/comments/`, { body: { text: ' seen ' } })).json).toMatchObject(
      { type: 'note', data: { text: 'seen' }, user: { name: 'Olga' } },
    )
    expect((await made().call('POST', `${O}/issues/${id}/notes/`, { body: { text: ' ' } })).json).toEqual({
      text: [expect.any(String)],
    })
    expect((await get(`${O}/issues/${id}/notes/`)).json).toHaveLength(1)
    const { activity } = (await get(`${O}/issues/${id}/activities/`)).json as { activity: { type: string }[] }
    expect(activity.map((item) => item.type)).toEqual(
      expect.arrayContaining(['note', 'set_resolved', 'set_unresolved']),
    )
    expect(told).toContainEqual({ kind: 'issue', id })
    stop()
  })

  test('archive by other words', async () => {
    const { id } = await issueOf('RangeError')
    expect(
      (await made().call('PUT', `${P}/issues/?id=${id}&id=999999`, { body: { status: 'archived' } })).json,
    ).toMatchObject({ status: 'ignored', updated: [id] })
    await made().call('PUT', `/issues/${id}/`, { body: { status: 'unresolved' } })
    expect((await made().call('PUT', `${O}/issues/`, { body: { status: 'resolved' } })).json).toEqual({
      id: [expect.any(String)],
    })
    expect((await made().call('PUT', `/issues/${id}/`, { body: { status: 'gone' } })).json).toHaveProperty('status')
  })

  test('tags and hashes', async () => {
    const { id } = await issueOf('TypeError')
    expect((await get(`${O}/issues/${id}/tags/fruit/`)).json).toMatchObject({
      key: 'fruit',
      totalValues: 3,
      uniqueValues: 2,
      topValues: [
        { value: 'pear', count: 2 },
        { value: 'apple', count: 1 },
      ],
    })
    expect((await get(`${O}/issues/${id}/tags/fruit/values/`)).json).toHaveLength(2)
    expect((await get(`${O}/issues/${id}/tags/nope/`)).status).toBe(404)
    expect((await get(`${O}/issues/${id}/tags/`)).json).toContainEqual(
      expect.objectContaining({ key: 'environment', totalValues: 3 }),
    )
    expect((await get(`${O}/issues/${id}/hashes/`)).json).toMatchObject([
      { id: expect.stringMatching(/^[0-9a-f]{16}$/), events: 3, mergedFrom: null },
    ])
  })
})

describe('events', () => {
  test.each([
    ['latest', 3, 3],
    ['recommended', 3, 3],
    ['oldest', 1, 1],
    ['first', 1, 1],
    ['1', 1, 1],
    ['2', 2, 2],
    ['3', 3, 3],
    [hex(2), 2, 2],
    ['00000000-0000-0000-0000-000000000002', 2, 2],
  ])('%s', async (choice, id, number) => {
    const issue = await issueOf('TypeError')
    const event = (await get(`${O}/issues/${issue.id}/events/${choice}/`)).json as RestEvent
    expect(event).toMatchObject({
      eventID: hex(id),
      number,
      total: 3,
      previousEventID: id > 1 ? hex(id - 1) : null,
      nextEventID: id < 3 ? hex(id + 1) : null,
      groupID: issue.id,
    })
  })

  test.each(['0', '4', 'newer', hex(4), hex(9)])('%s is not there', async (choice) => {
    const issue = await issueOf('TypeError')
    expect((await get(`${O}/issues/${issue.id}/events/${choice}/`)).status).toBe(404)
  })

  test('wire names become camelCase, once', async () => {
    const found = (await get(`${O}/eventids/${hex(1)}/`)).json as { event: RestEvent }
    expect(found).toMatchObject({ organizationSlug: 'acme', projectSlug: 'web', eventId: hex(1) })
    const { event } = found
    expect(event.entries.map((item) => item.type)).toEqual(['exception', 'breadcrumbs', 'request'])
    const [exception] = event.entries
    if (exception?.type !== 'exception') throw new Error('no exception')
    expect(exception.data.values[0]).toMatchObject({ type: 'TypeError', value: 'x is undefined' })
    expect(exception.data.values[0]?.stacktrace?.frames[0]).toMatchObject({
      filename: 'app.js',
      lineNo: 10,
      colNo: 5,
      inApp: true,
      context: [
        [9, 'a'],
        [10, 'throw it'],
        [11, 'z'],
      ],
    })
    expect(event).toMatchObject({
      traceId: hex(77),
      spanId: '0123456789abcdef',
      context: { cart: 3 },
      user: { id: '42', email: 'a@b.test' },
      release: { version: 'shop@1.0.0' },
      environment: 'production',
    })
    expect(event.tags).toContainEqual({ key: 'fruit', value: 'apple' })
    expect(event.attachments.map((attachment) => attachment.name)).toHaveLength(2)
  })

  test('list of an issue, with a query and pages; list of a project', async () => {
    const { id } = await issueOf('TypeError')
    const all = await get(`${O}/issues/${id}/events/?limit=2`)
    expect((all.json as RestEvent[]).map((item) => item.id)).toEqual([hex(3), hex(2)])
    const next = /rel="next"; results="true"; cursor="(\d+:2:0)"/.exec(all.headers.get('link') ?? '')?.[1]
    for (const cursor of ['0:2:0', next])
      expect(
        ((await get(`${O}/issues/${id}/events/?limit=2&cursor=${cursor}`)).json as RestEvent[]).map(({ id }) => id),
      ).toEqual([hex(1)])
    expect(
      ((await get(`${O}/issues/${id}/events/?query=fruit:pear`)).json as RestEvent[]).map((item) => item.id),
    ).toEqual([hex(3), hex(2)])
    expect((await get(`${O}/issues/${id}/events/?query=undefined`)).json as RestEvent[]).toHaveLength(3)
    const listed = (await get(`${P}/events/`)).json as RestEvent[]
    expect(listed.map((item) => item.id)).toEqual([hex(5), hex(4), hex(3), hex(2), hex(1)])
    // sentry-cli 2.x reads a text here, and an object in a single event.
    expect([listed.at(-1)?.release, listed[0]?.release]).toEqual(['shop@1.0.0', null])
    expect((await get(`${P}/events/${hex(4)}/`)).json).toMatchObject({ id: hex(4) })
    expect((await get(`${P}/events/${hex(9)}/`)).status).toBe(404)
  })

  test('JSON as stored and as received, Markdown', async () => {
    const stored = await get(`${P}/events/${hex(1)}/json/`)
    expect(stored.json).toMatchObject({ event_id: hex(1), findings: expect.any(Object) })
    expect(stored.headers.get('content-security-policy')).toContain('sandbox')
    const received = await get(`${P}/events/${hex(1)}/json/?form=received&download=1`)
    expect(received.json).not.toHaveProperty('findings')
    expect(received.headers.get('content-disposition')).toContain(`attachment; filename="${hex(1)}.json"`)
    const { id, shortId } = await issueOf('TypeError')
    const markdown = await get(`${O}/issues/${id}/events/latest/markdown/`)
    expect(markdown.headers.get('content-type')).toBe('text/markdown; charset=utf-8')
    expect(markdown.text).toContain(shortId)
    expect(markdown.text).toContain('untrusted')
    expect((await get(`${O}/issues/${id}/events/latest/json/`)).status).toBe(200)
  })

  test('attachments are bytes that no browser runs', async () => {
    const list = (await get(`${P}/events/${hex(1)}/attachments/`)).json as { id: string; name: string }[]
    expect(list).toHaveLength(2)
    const evil = list.find((item) => item.name.includes('evil'))
    const plain = await get(`${P}/events/${hex(1)}/attachments/${evil?.id}/`)
    expect(plain.json).toMatchObject({ mimetype: 'text/html' })
    const bytes = await get(`${P}/events/${hex(1)}/attachments/${evil?.id}/?download=1`)
    expect(bytes.text).toBe('<script>1</script>')
    expect(Object.fromEntries(bytes.headers)).toMatchObject({
      'content-type': 'application/octet-stream',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "sandbox; default-src 'none'",
      'content-length': '18',
    })
    expect(bytes.headers.get('content-disposition')).toMatch(/^attachment; filename="[^"/]*"; filename\*=UTF-8''\S+$/)
    expect((await get(`${P}/events/${hex(2)}/attachments/${evil?.id}/?download=1`)).status).toBe(404)
  })

  test('digest', async () => {
    expect((await get(`${O}/digests/3141592653/`)).json).toMatchObject([
      { issue: { metadata: { type: 'RangeError' } }, events: [{ id: hex(4) }] },
    ])
    expect((await get(`${O}/digests/none/`)).json).toEqual([])
    expect((await get(`${O}/digests/..%2F..%2Fx/`)).json).toEqual([])
  })
})

describe('the rest', () => {
  test.each([
    '/',
    '/auth/',
    '/users/me/regions/',
    '/organizations/',
    `${O}/`,
    `${O}/projects/`,
    `${P}/`,
    `${P}/keys/`,
    `${O}/tags/`,
    `${P}/tags/fruit/values/`,
    `${O}/environments/`,
    `${P}/environments/`,
    `${P}/arrivals/`,
    '/status/',
    `${O}/projects/web/arrivals/`,
  ])('GET %s fits its shape', async (path) => {
    const answer = await get(path)
    expect([answer.text.slice(0, 300), answer.status]).toEqual([expect.any(String), 200])
  })

  test('environments, tag values, arrivals', async () => {
    expect(((await get(`${O}/environments/`)).json as { name: string }[]).map((item) => item.name)).toEqual([
      'production',
      'staging',
    ])
    expect((await get(`${P}/tags/fruit/values/`)).json).toContainEqual({
      key: 'fruit',
      name: 'pear',
      value: 'pear',
      count: 2,
    })
    expect((await get(`${P}/arrivals/`)).json).toMatchObject({
      items: [{ itemType: 'event', quantity: 5, sentence: 'Stored.' }],
      newestIssue: { title: expect.any(String) },
    })
    expect((await get('/status/')).json).toMatchObject({ ledger: { received: 5, stored: 5 }, engine: { up: true } })
  })

  test('projects and keys', async () => {
    const created = await made().call('POST', '/teams/acme/acme/projects/', {
      body: { name: 'Täglich Brot!', platform: 'python' },
    })
    expect([created.status, created.json]).toMatchObject([201, { slug: 'taglich-brot', platform: 'python' }])
    const text = '/projects/acme/taglich-brot'
    const [key] = (await get(`${text}/keys/`)).json as { id: string; dsn: { public: string } }[]
    expect(key?.dsn.public).toMatch(/^http:\/\/[0-9a-f]{32}@mishap\.test\/\d+$/)
    expect(
      (
        await made().call('PUT', `${text}/keys/${key?.id}/`, {
          body: { isActive: false, rateLimit: { window: 60, count: 5 } },
        })
      ).json,
    ).toMatchObject({ isActive: false, rateLimit: { window: 60, count: 5 } })
    expect((await get(`${text}/keys/${key?.id}/tunnel/`)).json).toMatchObject({
      dsn: key?.dsn.public,
      path: expect.stringMatching(/^\/[a-z]{10}$/),
    })
    expect((await get(`${text}/keys/nothing/tunnel/`)).status).toBe(404)
    const second = await made().call('POST', `${text}/keys/`, { body: { name: 'Second' } })
    expect(second.status).toBe(201)
    expect((await made().call('DELETE', `${text}/keys/${(second.json as { id: string }).id}/`)).status).toBe(204)
    expect((await get(`${text}/keys/${(second.json as { id: string }).id}/`)).status).toBe(404)
    expect(
      (
        await made().call('PUT', `${text}/`, {
          body: { name: 'Bread', slug: 'bread', allowedOrigins: ['https://shop.example'] },
        })
      ).json,
    ).toMatchObject({ slug: 'bread', allowedDomains: ['https://shop.example'] })
    expect((await made().call('POST', `${O}/projects/`, { body: { name: 'Again', slug: 'bread' } })).status).toBe(409)
    expect((await made().call('POST', `${O}/projects/`, { body: { name: '', slug: '12' } })).json).toMatchObject({
      name: [expect.any(String)],
      slug: [expect.any(String)],
    })
  })

  test('tokens are made by people, not by tokens', async () => {
    expect(
      (await made().call('POST', '/api-tokens/', { body: { name: 'x', scopes: ['event:read'] } })).json,
    ).toMatchObject({ code: 'AUTH_TOKEN_SCOPE' })
    const { app } = made()
    const signed = await app.auth.signIn({
      email: 'owner@example.test',
      password: 'correct horse battery',
      headers: new Headers({ origin: 'http://mishap.test' }),
    })
    const headers = { cookie: signed.cookies.map((cookie) => cookie.split(';')[0]).join('; ') }
    const created = await made().call('POST', '/api-tokens/', {
      body: { name: 'x', scopes: ['event:read'], organization: 'acme' },
      token: null,
      headers,
    })
    expect(created.status).toBe(201)
    const { id, token } = created.json as { id: string; token: string }
    expect((await get(`${O}/issues/`, { token })).status).toBe(200)
    expect((await made().call('POST', `${O}/projects/`, { body: { name: 'No' }, token })).json).toMatchObject({
      code: 'AUTH_TOKEN_SCOPE',
    })
    expect((await get('/api-tokens/', { token: null, headers })).text).not.toContain(token)
    expect((await made().call('DELETE', `/api-tokens/${id}/`, { token: null, headers })).status).toBe(204)
    expect((await get(`${O}/issues/`, { token })).status).toBe(401)
  })

  test('who gives no credentials, or sees nothing, learns nothing', async () => {
    expect((await get(`${O}/issues/`, { token: null })).json).toMatchObject({ code: 'AUTH_REQUIRED' })
    expect((await get(`${O}/issues/`, { token: 'sntryu_nope' })).json).toMatchObject({
      code: 'AUTH_FAILED',
      detail: 'Invalid token',
    })
    const { app } = made()
    const stranger = await app.auth.createPerson({
      name: 'Stranger',
      email: 's@example.test',
      password: 'another long password',
    })
    await app.meta.organizations.createOrganization({ slug: 'other', name: 'Other', ownerUserId: stranger.id })
    const { secret: token } = await app.auth.createToken(
      stranger,
      't',
      ['org:admin', 'project:admin', 'event:admin'],
      null,
    )
    const { id } = await issueOf('TypeError')
    const values: Record<string, string> = {
      org: 'acme',
      project: 'web',
      issue: id,
      event: hex(1),
      key: 'fruit',
      shortId: 'WEB-1',
      digest: '3141592653',
      team: 'acme',
      attachment: '1',
      token: '1',
    }
    for (const route of routes.filter((item) => item.path.includes(':org') || item.path.includes(':issue'))) {
      const path = route.path.replace(/:(\w+)/g, (_all, name: string) => values[name] ?? 'x')
      const answer = await made().call(route.method, path, {
        token,
        ...(route.method === 'GET' || route.method === 'DELETE' ? {} : { body: {} }),
      })
      expect([route.method, path, answer.status]).toEqual([route.method, path, 404])
      expect([path, (await made().call(route.method, path, { token: null })).status]).toEqual([path, 401])
    }
  })

  test('what is no route, no method, no JSON, too much', async () => {
    expect((await get('/nowhere/')).json).toMatchObject({ code: 'NOT_FOUND' })
    const method = await made().call('POST', `${O}/issues/`)
    expect([method.status, method.headers.get('allow')]).toEqual([405, 'GET, PUT, DELETE'])
    expect((await made().call('POST', `${O}/projects/`, { body: '{"name":' })).json).toMatchObject({
      code: 'VALIDATION',
    })
    expect(
      (await made().call('POST', `${O}/projects/`, { body: `{"name":"${'x'.repeat(1024 * 1024)}"}` })).status,
    ).toBe(413)
    expect((await made().call('POST', `${O}/projects/`, { body: '[['.repeat(5000) })).status).toBe(400)
    expect((await made().call('POST', `${O}/projects/`, { body: `${'['.repeat(500)}${']'.repeat(500)}` })).status).toBe(
      400,
    )
  })

  test('the OpenAPI file is the one made from the routes, and every operation has a name of its own', () => {
    expect(readFileSync('docs/openapi.json', 'utf8')).toBe(openapiText())
    const names = routes.map((route) => route.operationId)
    expect(new Set(names).size).toBe(names.length)
  })
})
