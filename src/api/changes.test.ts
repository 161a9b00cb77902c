import { beforeAll, describe, expect, test } from 'vitest'
import type { RestIssue, RestIssueDetail } from '../contract/issues.ts'
import type { RestProjectSettings } from '../contract/projects.ts'
import { type ProjectSwitches, projectSwitches } from '../domain/project-switches.ts'
import { appForFile } from './app.cases.ts'
import { seedEvents } from './seed.cases.ts'

// Conflicting changes: revisions, renamed projects, assignees, seen state of a person.

const state: { other?: { id: string; token: string } } = {}
const { made, call } = appForFile()
const O = '/organizations/acme'
const P = '/projects/acme/web'
const scopes = ['org:admin', 'project:admin', 'event:admin']

beforeAll(async () => {
  await made().store(seedEvents)
  const { app, organization } = made()
  const person = await app.auth.createPerson({
    name: 'Bob',
    email: 'bob@example.test',
    password: 'another long password',
  })
  await app.meta.organizations.setMember(organization.id, person.id, 'admin')
  state.other = { id: person.id, token: (await app.auth.createToken(person, 't', scopes, null)).secret }
}, 30_000)

const issues = async () => (await call('GET', `${O}/issues/`)).json as RestIssue[]
const first = async () => {
  const [issue] = await issues()
  if (!issue) throw new Error('no issue')
  return issue
}

describe('revisions', () => {
  const things: [string, () => Promise<string>, object, object][] = [
    ['project', async () => `${P}/`, { name: 'Web by Bob' }, { platform: 'node' }],
    [
      'key',
      async () => `${P}/keys/${((await call('GET', `${P}/keys/`)).json as { id: string }[])[0]?.id}/`,
      { name: 'By Bob' },
      { isActive: false },
    ],
    ['issue', async () => `${O}/issues/${(await first()).id}/`, { status: 'resolved' }, { status: 'ignored' }],
  ]
  test.each(things)('%s: a stale write is refused, says who was there before, and changes nothing', async (...item) => {
    const [, pathOf, change, other] = item
    const path = await pathOf()
    const { revision } = (await call('GET', path)).json as { revision: number }
    const bob = await call('PUT', path, { body: { ...change, revision }, token: state.other?.token ?? '' })
    expect([bob.status, bob.json]).toMatchObject([200, { revision: revision + 1 }])
    const before = (await call('GET', path)).text
    const attempts: [object, Record<string, string>][] = [
      [{ revision }, {}],
      [{}, { 'if-match': `"${revision}"` }],
      [{}, { 'if-match': `W/"${revision}"` }],
    ]
    for (const [body, headers] of attempts) {
      const stale = await call('PUT', path, { body: { ...other, ...body }, headers })
      expect([stale.status, stale.json]).toMatchObject([
        409,
        {
          code: 'CONFLICT',
          detail: expect.stringMatching(/^Bob changed this in the meantime, at \d{4}-.*Z\.$/),
          causes: [expect.stringContaining('without a revision')],
          current: {
            revision: revision + 1,
            changedBy: { id: state.other?.id, name: 'Bob', email: 'bob@example.test' },
            changedAt: expect.stringMatching(/Z$/),
          },
        },
      ])
    }
    expect((await call('GET', path)).text).toBe(before)
    // Both resolutions: with the current revision, and without any.
    const again = await call('PUT', path, { body: other, headers: { 'if-match': `"${revision + 1}"` } })
    expect([again.status, again.json]).toMatchObject([200, { revision: revision + 2 }])
    expect((await call('PUT', path, { body: change })).status).toBe(200)
  })

  test('If-Match: * is any revision, nonsense is said', async () => {
    expect((await call('PUT', `${P}/`, { body: { name: 'Web' }, headers: { 'if-match': '*' } })).status).toBe(200)
    const wrong = await call('PUT', `${P}/`, { body: { name: 'No' }, headers: { 'if-match': '"abc"' } })
    expect([wrong.status, wrong.json]).toEqual([400, { 'If-Match': [expect.stringContaining('revision')] }])
  })

  test('of several issues a revision is refused, of one it is held', async () => {
    const [a, b] = await issues()
    const path = (...ids: (string | undefined)[]) => `${O}/issues/?${ids.map((id) => `id=${id}`).join('&')}`
    const body = { status: 'unresolved', revision: 99 }
    expect((await call('PUT', path(a?.id, b?.id), { body })).json).toEqual({ revision: [expect.any(String)] })
    expect((await call('PUT', path(a?.id), { body })).status).toBe(409)
    expect((await call('PUT', path(a?.id, b?.id), { body: { status: 'unresolved' } })).status).toBe(200)
  })
})

describe('project settings', () => {
  test.each(projectSwitches)('%s is off, switched on, and off again', async (name) => {
    const shown = async () => ((await call('GET', `${P}/`)).json as ProjectSwitches)[name]
    expect(await shown()).toBe(false)
    for (const value of [true, false]) {
      expect((await call('PUT', `${P}/`, { body: { [name]: value } })).status).toBe(200)
      expect(await shown()).toBe(value)
    }
  })

  test('are read and written under the documented names, and reach refine', async () => {
    const body = {
      dataScrubber: true,
      dataScrubberDefaults: false,
      scrubIPAddresses: true,
      sensitiveFields: ['colour'],
      safeFields: ['token_kind'],
      allowedDomains: ['*.Shop.example'],
    }
    const wanted = { ...body, allowedDomains: ['*.shop.example'] }
    expect((await call('PUT', `${P}/`, { body })).json).toMatchObject(wanted)
    expect((await call('GET', `${P}/`)).json).toMatchObject(wanted)
    expect(await made().app.meta.projects.projectSettings(made().project.id)).toMatchObject({
      scrubDefaults: false,
      scrubIpAddresses: true,
      sensitiveFields: ['colour'],
      safeFields: ['token_kind'],
    })
    const back = { dataScrubberDefaults: true, scrubIPAddresses: false, sensitiveFields: [], safeFields: [] }
    expect((await call('PUT', `${P}/`, { body: { ...back, allowedDomains: [] } })).json).toMatchObject({
      ...back,
      allowedDomains: ['*'],
    })
  })

  test.each(['allowedOrigins', 'allowedDomains'])('%s: the error stands at the caller’s own name', async (name) => {
    const answer = await call('PUT', `${P}/`, { body: { [name]: ['ok.example', 'shop.*'] } })
    expect([answer.status, answer.json]).toEqual([400, { [name]: [expect.stringContaining('"shop.*"')] }])
  })
})

describe('a renamed project', () => {
  test('answers under its old slug with the way to the new one', async () => {
    const body = { name: 'Second', slug: 'second' }
    expect((await call('POST', `${O}/projects/`, { body })).status).toBe(201)
    expect((await call('PUT', '/projects/acme/second/', { body: { slug: 'renamed' } })).status).toBe(200)
    const cases: [string, string, string, number][] = [
      ['GET', '/projects/acme/second/', '/api/0/projects/acme/renamed/', 302],
      ['GET', '/projects/acme/second/keys?a=1', '/api/0/projects/acme/renamed/keys/?a=1', 302],
      ['PUT', '/projects/acme/second/', '/api/0/projects/acme/renamed/', 307],
      ['POST', '/projects/acme/second/keys/', '/api/0/projects/acme/renamed/keys/', 307],
      ['GET', `${O}/projects/second/arrivals/`, '/api/0/organizations/acme/projects/renamed/arrivals/', 302],
    ]
    for (const [method, path, url, status] of cases) {
      const answer = await call(method, path, method === 'GET' ? {} : { body: {} })
      expect([path, answer.status, answer.headers.get('location')]).toEqual([path, status, url])
      expect(answer.json).toEqual({
        slug: 'renamed',
        detail: {
          code: 'resource-moved',
          message: 'Resource has been moved',
          extra: { url, slug: 'renamed' },
        },
      })
    }
    const list = await call('GET', `${O}/issues/?project=second`)
    expect([list.status, list.json]).toEqual([200, []])
    expect((await call('GET', `${O}/issues/?project=third`)).status).toBe(404)
  })

  test('tells a stranger nothing', async () => {
    const { app } = made()
    const stranger = await app.auth.createPerson({
      name: 'S',
      email: 's@example.test',
      password: 'another long password',
    })
    const { secret: token } = await app.auth.createToken(stranger, 't', scopes, null)
    expect((await call('GET', '/projects/acme/second/', { token })).status).toBe(404)
    expect((await call('GET', '/projects/acme/second/', { token: null })).status).toBe(401)
  })

  test('a slug that another project takes is that project’s', async () => {
    const taken = await call('PUT', `${P}/`, { body: { slug: 'renamed' } })
    expect([taken.status, taken.json]).toMatchObject([409, { code: 'CONFLICT', slug: [expect.any(String)] }])
    expect((await call('POST', `${O}/projects/`, { body: { name: 'New', slug: 'second' } })).status).toBe(201)
    expect((await call('GET', '/projects/acme/second/')).json as RestProjectSettings).toMatchObject({ name: 'New' })
  })
})

describe('people', () => {
  test('members, in the order of joining', async () => {
    expect((await call('GET', `${O}/members/`)).json).toMatchObject([
      { email: 'owner@example.test', name: 'Olga', role: 'owner', pending: false },
      { id: state.other?.id, email: 'bob@example.test', role: 'admin', orgRole: 'admin', inviteStatus: 'approved' },
    ])
  })

  test('an assignment names whom, tells the others, and is taken back by the one before', async () => {
    const { id } = await first()
    const path = `${O}/issues/${id}/`
    const changes: unknown[] = []
    const { app, organization } = made()
    const stop = app.live.subscribe(organization.id, 0, (_id, change) => changes.push(change))
    const to = async (assignedTo: string | null) =>
      (await call('PUT', path, { body: { assignedTo } })).json as RestIssueDetail
    expect((await to('bob@example.test')).assignedTo).toMatchObject({ id: state.other?.id, name: 'Bob' })
    const after = await to(null)
    stop()
    expect(after.assignedTo).toBeNull()
    expect(after.activity.slice(0, 2)).toMatchObject([
      { type: 'unassigned', user: { name: 'Olga' }, data: { before: { assigneeUserId: state.other?.id } } },
      {
        type: 'assigned',
        user: { name: 'Olga' },
        data: { assignee: state.other?.id, assigneeName: 'Bob', assigneeEmail: 'bob@example.test' },
      },
    ])
    expect(changes).toEqual([
      { kind: 'issue', id },
      { kind: 'issue', id },
    ])
    expect((await to(`user:${state.other?.id}`)).assignedTo?.email).toBe('bob@example.test')
    const stranger = await call('PUT', path, { body: { assignedTo: 's@example.test' } })
    expect([stranger.status, stranger.json]).toEqual([400, { assignedTo: [expect.any(String)] }])
  })

  test('seen is the caller’s own and tells nobody', async () => {
    const { id, hasSeen } = await first()
    const mine = async (token?: string) =>
      ((await call('GET', `${O}/issues/`, token ? { token } : {})).json as RestIssue[]).find((item) => item.id === id)
        ?.hasSeen
    const changes: unknown[] = []
    const { app, organization } = made()
    const stop = app.live.subscribe(organization.id, 0, (_id, change) => changes.push(change))
    expect(hasSeen).toBe(false)
    expect((await call('PUT', `${O}/issues/?id=${id}`, { body: { hasSeen: true } })).json).toEqual({
      hasSeen: true,
      updated: [id],
    })
    stop()
    expect([await mine(), await mine(state.other?.token), changes]).toEqual([true, false, []])
    expect((await call('PUT', `${O}/issues/${id}/`, { body: { hasSeen: false } })).json).toMatchObject({
      hasSeen: false,
    })
  })
})

describe('a change of nothing', () => {
  const keyPath = async () => {
    const keys = (await call('GET', `${P}/keys/`)).json as { id: string }[]
    return `${P}/keys/${keys[0]?.id}/`
  }
  test.each<[string, () => string | Promise<string>]>([
    ['project', () => `${P}/`],
    ['key', keyPath],
    ['organization', () => `${O}/`],
    ['settings of an organization', () => `${O}/settings/`],
  ])('%s: refused, and says what may be changed', async (_name, pathOf) => {
    const path = await pathOf()
    const before = (await call('GET', path)).json as { revision?: number }
    for (const body of [{}, { isHidden: true }, { resolveAge: 24, revision: before.revision }]) {
      const answer = await call('PUT', path, { body })
      expect([answer.status, (answer.json as { detail?: string }).detail]).toEqual([
        400,
        expect.stringMatching(/^The body changes nothing\. Set at least one of .*\bname\b/),
      ])
    }
    expect((await call('GET', path)).json).toEqual(before)
  })
  test('what is not known beside what is does no harm', async () => {
    expect((await call('PUT', `${P}/`, { body: { platform: null, resolveAge: 24 } })).status).toBe(200)
  })
})
