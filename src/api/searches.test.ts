import { beforeAll, describe, expect, test, vi } from 'vitest'
import type { RestIssueCounts } from '../contract/search.ts'
import { issueCountsOf } from '../query/issues/issue-counts.ts'
import { toRestSearch } from '../query/saved.ts'
import type { Role } from '../store/meta/meta.ts'
import { appForFile } from './app.cases.ts'
import { hex, seedEvents } from './seed.cases.ts'

// The query language over events, search completions and saved views, with real stores.

const { made, call, personAs } = appForFile()
const O = '/organizations/acme'
const P = '/projects/acme/web'

beforeAll(async () => {
  await made().store([
    ...seedEvents,
    { ...seedEvents[3], event_id: hex(9), tags: { size: '12', fruit: 'a*b', platform: 'kiosk', level: 'high' } },
  ])
}, 30_000)

const rows = async (path: string) => (await call('GET', path)).json as { eventID: string }[]
const ids = async (path: string, query: string) =>
  (await rows(`${path}?statsPeriod=1h&query=${encodeURIComponent(query)}`)).map((row) =>
    Number.parseInt(row.eventID, 16),
  )
const issueOf = async (query: string) => {
  const [issue] = (await call('GET', `${O}/issues/?query=${encodeURIComponent(query)}`)).json as { id: string }[]
  return issue?.id ?? ''
}

/** Returns a token of a new person with a role. */
const as = async (role: Role, scopes = ['event:admin', 'project:admin']): Promise<string> =>
  (await personAs(role, scopes, `${role}${Math.random()}`)).token

describe('events of an issue', () => {
  test.each<[string, number[]]>([
    ['', [3, 2, 1]],
    ['fruit:pear', [3, 2]],
    ['fruit:pear !environment:staging', [3]],
    ['undefined', [3, 2, 1]],
    ['ndefi', [3, 2, 1]],
    ['"no such words"', []],
    ['user.id:43 OR fruit:apple', [3, 2, 1]],
    ['is:unresolved fruit:apple', [1]],
    ['is:resolved', []],
    ['!is:resolved fruit:apple', [1]],
    ['is:resolved OR fruit:apple', [1]],
    ['error.type:TypeError level:error', [3, 2, 1]],
    ['timestamp:-2h', [3, 2, 1]],
    ['timestamp:+2h', []],
    ['timestamp:+2h OR fruit:apple', [1]],
    ['project:nope', []],
    ['release.version:>=1.0', [3, 2, 1]],
    ['release.version:>1.0', []],
    ['url:*/cart', [1]],
    ['has:user.email', [1]],
  ])('%s', async (query, found) => {
    expect(await ids(`${O}/issues/${await issueOf('TypeError')}/events/`, query)).toEqual(found)
  })

  test('page by page, each once', async () => {
    const path = `${O}/issues/${await issueOf('TypeError')}/events/?per_page=2`
    const first = await call('GET', path)
    const cursor = /rel="next"; results="true"; cursor="([^"]+)"/.exec(first.headers.get('link') ?? '')?.[1] ?? ''
    const second = await rows(`${path}&cursor=${encodeURIComponent(cursor)}`)
    expect([...(first.json as { eventID: string }[]), ...second].map((item) => item.eventID)).toEqual(
      [3, 2, 1].map(hex),
    )
  })

  test.each([
    ['a:', 'QUERY_SYNTAX', 'position 3'],
    ['timesSeen:many', 'QUERY_TYPE', 'position 11'],
  ])('%s is refused with its place', async (query, code, place) => {
    const answer = await call('GET', `${P}/events/?query=${encodeURIComponent(query)}`)
    expect([answer.status, answer.json]).toMatchObject([400, { code, detail: expect.stringContaining(place) }])
  })
})

test.each<[string, number[]]>([
  ['', [5, 9, 4, 3, 2, 1]],
  ['level:fatal', [9, 4]],
  ['platform:python', [5]],
  ['error.type:RangeError fruit:plum', [4]],
  ['tags[size,number]:>5', [9]],
  ['tags[size,number]:<5', []],
  ['tags[platform]:kiosk', [9]],
  ['platform:kiosk', []],
  // Tags do not override fields of the event.
  ['tags[level]:high', []],
  ['tags[level]:fatal', [9, 4]],
  ['fruit:a\\*b', [9]],
  ['fruit:a\\**', [9]],
  ['title:RangeError*', [9, 4]],
  ['logger:disk', [5]],
  ['nearly', [5]],
  [`id:${hex(2)}`, [2]],
])('events of a project: %s', async (query, found) => {
  expect(await ids(`${P}/events/`, query)).toEqual(found)
})

describe('what a box completes', () => {
  const values = async (key: string, query = '') =>
    (
      (await call('GET', `${O}/tags/${encodeURIComponent(key)}/values/?query=${encodeURIComponent(query)}`)).json as {
        value: string
        count: number | null
      }[]
    ).map((item) => `${item.value} ${item.count}`)
  test.each<[string, string, string[]]>([
    ['fruit', '', ['pear 2', 'a*b 1', 'apple 1', 'plum 1']],
    ['fruit', 'P', ['pear 2', 'apple 1', 'plum 1']],
    ['tags[fruit]', 'app', ['apple 1']],
    ['error.type', 'Error', ['TypeError 3', 'RangeError 2']],
    ['platform', '', ['javascript 5', 'python 1']],
    ['release', 'shop', ['shop@1.0.0 5']],
    ['environment', 'stag', ['staging 1']],
    ['project', '', ['web null']],
    ['issue.priority', 'h', ['high null']],
    ['firstRelease', '', ['latest null', 'shop@1.0.0 null']],
    ['timesSeen', '', []],
    ['no-such-tag', '', []],
  ])('%s with "%s"', async (key, text, found) => {
    expect(await values(key, text)).toEqual(found)
  })

  test('people by e-mail, beside the words', async () => {
    const words = ['me null', 'none null', 'any null']
    expect(await values('assigned')).toEqual(expect.arrayContaining([...words, 'owner@example.test null']))
    expect(await values('assigned_or_suggested', 'own')).toEqual(['owner@example.test null'])
    const path = `${O}/tags/assigned/values/`
    const without = await call('GET', path, { token: await as('owner', ['event:read']) })
    expect((without.json as { value: string }[]).map((item) => item.value)).toEqual(['me', 'none', 'any'])
  })

  test('what nobody waits for any more is not read', async () => {
    const { app } = made()
    const spies = [
      vi.spyOn(app.events, 'tagValues'),
      vi.spyOn(app.events, 'columnValues'),
      vi.spyOn(app.events, 'tagKeys'),
    ]
    for (const path of ['fruit/values/', 'release/values/', '']) await call('GET', `${O}/tags/${path}`)
    for (const spy of spies) {
      const words: unknown[] = spy.mock.calls[0] ?? []
      const given = words.map((word) =>
        word !== null && typeof word === 'object' && 'signal' in word ? word.signal : word,
      )
      expect(given.some((item) => item instanceof AbortSignal)).toBe(true)
      spy.mockRestore()
    }
  })

  test('values of projects that one may not read are not told', async () => {
    const token = await as('viewer', ['org:read'])
    expect((await call('GET', `${O}/tags/fruit/values/`, { token })).status).toBe(403)
  })
})

describe('saved views', () => {
  const body = { name: 'Mine', query: 'is:unresolved level:error', sort: 'freq', projects: ['web'], statsPeriod: '24h' }
  const names = async (token: string) =>
    ((await call('GET', `${O}/searches/`, { token })).json as { name: string }[]).map((item) => item.name)

  test('are saved, read, changed and deleted', async () => {
    const saved = await call('POST', `${O}/searches/`, { body })
    expect([saved.status, saved.json]).toMatchObject([
      201,
      { ...body, visibility: 'owner', environments: [], start: null, end: null, isEditable: true, revision: 0 },
    ])
    const { id } = saved.json as { id: string }
    const path = `${O}/searches/${id}/`
    const range = { start: '2026-01-01T00:00:00Z', end: '2026-01-02T00:00:00Z' }
    const changed = await call('PUT', path, { body: { ...range, revision: 0 } })
    expect(changed.json).toMatchObject({ ...range, statsPeriod: null, query: body.query, revision: 1 })
    expect((await call('PUT', path, { body: { query: '', revision: 0 } })).status).toBe(409)
    expect((await call('GET', path)).json).toEqual(changed.json)
    expect((await call('DELETE', `${path}?revision=0`)).status).toBe(409)
    expect((await call('DELETE', path, { headers: { 'if-match': '"0"' } })).status).toBe(409)
    expect((await call('DELETE', `${path}?revision=one`)).status).toBe(400)
    expect((await call('GET', path)).json).toEqual(changed.json)
    expect([(await call('DELETE', `${path}?revision=1`)).status, (await call('GET', path)).status]).toEqual([204, 404])
  })

  test('one’s own are nobody else’s; shared ones are read by all and changed by who triages', async () => {
    const [viewer, member] = [await as('viewer'), await as('member')]
    const own = (await call('POST', `${O}/searches/`, { body, token: viewer })).json as { id: string }
    const share = { ...body, name: 'Ours', visibility: 'organization' }
    expect((await call('POST', `${O}/searches/`, { body: share, token: viewer })).status).toBe(403)
    const shared = (await call('POST', `${O}/searches/`, { body: share, token: member })).json as { id: string }
    expect([await names(viewer), await names(member)]).toEqual([['Mine', 'Ours'], ['Ours']])
    for (const [token, id, read, write] of [
      [viewer, own.id, 200, 200],
      [member, own.id, 404, 404],
      [viewer, shared.id, 200, 403],
      [member, shared.id, 200, 200],
    ] as const) {
      const path = `${O}/searches/${id}/`
      expect((await call('GET', path, { token })).status).toBe(read)
      expect((await call('PUT', path, { token, body: { sort: 'new' } })).status).toBe(write)
    }
    const publish = { visibility: 'organization', name: 'Public' }
    expect((await call('PUT', `${O}/searches/${own.id}/`, { token: viewer, body: publish })).status).toBe(403)
    expect((await call('DELETE', `${O}/searches/${shared.id}/`, { token: viewer })).status).toBe(403)
    expect((await call('DELETE', `${O}/searches/${shared.id}/`, { token: member })).status).toBe(204)
  })

  test.each([
    ['level:[error', 'QUERY_SYNTAX', 'position 13'],
    ['timesSeen:many', 'QUERY_TYPE', 'position 11'],
    [`${'a '.repeat(21)}`, 'QUERY_TOO_LONG', '20'],
  ])('a view of %s is refused as the list refuses it', async (query, code, said) => {
    const list = await call('GET', `${O}/issues/?query=${encodeURIComponent(query)}`)
    expect([list.status, list.json]).toMatchObject([400, { code, detail: expect.stringContaining(said) }])
    const { detail } = list.json as { detail: string }
    const path = `${O}/searches/`
    const made = await call('POST', path, { body: { ...body, query } })
    expect([made.status, made.json]).toMatchObject([400, { code, detail }])
    const { id } = (await call('POST', path, { body: { ...body, name: `Of ${code}` } })).json as { id: string }
    const changed = await call('PUT', `${path}${id}/`, { body: { query } })
    expect([changed.status, changed.json]).toMatchObject([400, { code, detail }])
    expect((await call('GET', `${path}${id}/`)).json).toMatchObject({ query: body.query, revision: 0 })
    await call('DELETE', `${path}${id}/`)
  })

  test.each([
    [{ ...body, name: '' }, 'name'],
    [{ ...body, name: 'x'.repeat(65) }, 'name'],
    [{ ...body, sort: 'trends' }, 'sort'],
    [{ ...body, statsPeriod: 'soon' }, 'statsPeriod'],
    [{ ...body, start: '2026-01-01' }, 'start'],
  ])('%j is refused at %s', async (wrong, field) => {
    const answer = await call('POST', `${O}/searches/`, { body: wrong })
    expect([answer.status, Object.keys(answer.json)]).toEqual([400, [field]])
  })

  test('a view of issues is no default, and no other change is made then', async () => {
    const made = (await call('POST', `${O}/searches/`, { body: { ...body, name: 'Undefaulted' } })).json as {
      id: string
    }
    const path = `${O}/searches/${made.id}/`
    const refused = await call('PUT', path, { body: { name: 'Renamed', isPinned: true } })
    expect([refused.status, Object.keys(refused.json)]).toEqual([400, ['isPinned']])
    expect((await call('GET', path)).json).toMatchObject({ name: 'Undefaulted', isPinned: false })
    // Ending it does nothing, so that clients may send the whole view back.
    expect((await call('PUT', path, { body: { isPinned: false } })).status).toBe(200)
    await call('DELETE', path)
  })

  test('views of traces are a list of their own, checked by its rules', async () => {
    type View = { id: string; name: string; revision: number; isPinned: boolean; scope: string; type: number }
    const viewer = await as('viewer')
    const traces = {
      scope: 'traces',
      name: 'Slow queries',
      query: 'span.op:db span.duration:>1s',
      sort: 'spans.slowest',
    }
    const made = await call('POST', `${O}/searches/`, { body: { ...traces, visibility: 'organization' } })
    expect([made.status, made.json]).toMatchObject([201, { ...traces, type: 5, isPinned: false }])
    const { id, revision } = made.json as View
    const listOf = async (scope: string, token?: string) =>
      (await call('GET', `${O}/searches/?scope=${scope}`, token ? { token } : {})).json as View[]
    expect((await listOf('issues')).map((view) => view.id)).not.toContain(id)
    // A viewer opens the list with a shared view, but may not rename it.
    const path = `${O}/searches/${id}/`
    expect((await call('PUT', path, { body: { isPinned: true }, token: viewer })).json).toMatchObject({
      isPinned: true,
      revision,
    })
    expect((await call('PUT', path, { body: { name: 'Mine' }, token: viewer })).status).toBe(403)
    expect([await listOf('traces', viewer), await listOf('traces')]).toMatchObject([
      [{ isPinned: true }],
      [{ isPinned: false }],
    ])
    expect((await call('PUT', path, { body: { name: 'Slower', revision } })).json).toMatchObject({
      name: 'Slower',
      query: traces.query,
    })
    expect((await call('PUT', path, { body: { isPinned: false }, token: viewer })).json).toMatchObject({
      isPinned: false,
    })
    for (const wrong of [{ sort: 'date' }, { query: 'is:unresolved' }, { query: 'span.duration:soon' }])
      expect((await call('PUT', path, { body: wrong })).status, JSON.stringify(wrong)).toBe(400)
    expect((await call('DELETE', path)).status).toBe(204)
  })

  test('views of logs keep their columns; those that lines do not have are apart', async () => {
    const logs = { scope: 'logs', name: 'Carts', query: 'severity:error', columns: ['service', 'body.items[].id'] }
    const saved = await call('POST', `${O}/searches/`, { body: logs })
    expect([saved.status, saved.json]).toMatchObject([201, { ...logs, sort: 'lines', unknownColumns: [] }])
    const { id } = saved.json as { id: string }
    const path = `${O}/searches/${id}/`
    expect((await call('PUT', path, { body: { query: '' } })).json).toMatchObject({ columns: logs.columns })
    for (const columns of [['count()'], ['a b'], ['a,b'], ['is'], [''], ['a', 'b', 'c', 'd', 'e', 'f', 'g']]) {
      const answer = await call('PUT', path, { body: { columns } })
      expect([answer.status, Object.keys(answer.json)[0]], columns.join()).toEqual([
        400,
        expect.stringMatching(/^columns/),
      ])
    }
    // Another version, or a file, may have stored what this one does not know.
    await made().app.meta.issues.updateSearch(Number(id), { columns: ['service', 'count()', 'cart.id'] })
    expect((await call('GET', path)).json).toMatchObject({
      columns: ['service', 'cart.id'],
      unknownColumns: ['count()'],
    })
    expect((await call('PUT', path, { body: { columns: ['host'] } })).json).toMatchObject({
      columns: ['host'],
      unknownColumns: [],
    })
    await call('DELETE', path)
    const ofIssues = await call('POST', `${O}/searches/`, { body: { ...body, columns: ['service'] } })
    expect([ofIssues.status, Object.keys(ofIssues.json)]).toEqual([400, ['columns']])
  })

  test('views of logs keep the facets that a reader added', async () => {
    const logs = { scope: 'logs', name: 'Carts', query: '', facets: ['cart.id', 'body.items[].id'] }
    const saved = await call('POST', `${O}/searches/`, { body: logs })
    expect([saved.status, saved.json]).toMatchObject([201, { ...logs, columns: [], unknownColumns: [] }])
    const { id } = saved.json as { id: string }
    const path = `${O}/searches/${id}/`
    expect((await call('PUT', path, { body: { query: 'a' } })).json).toMatchObject({ facets: logs.facets })
    for (const facets of [['count()'], ['a b'], ['a,b'], [''], ['a', 'b', 'c', 'd', 'e', 'f']]) {
      const answer = await call('PUT', path, { body: { facets } })
      expect([answer.status, Object.keys(answer.json)[0]], facets.join()).toEqual([
        400,
        expect.stringMatching(/^facets/),
      ])
    }
    await made().app.meta.issues.updateSearch(Number(id), { facets: ['count()', 'cart.id'], columns: ['avg(a)'] })
    expect((await call('GET', path)).json).toMatchObject({
      columns: [],
      facets: ['cart.id'],
      unknownColumns: ['avg(a)', 'count()'],
    })
    await call('DELETE', path)
    const ofIssues = await call('POST', `${O}/searches/`, { body: { ...body, facets: ['service'] } })
    expect([ofIssues.status, Object.keys(ofIssues.json)]).toEqual([400, ['facets']])
  })

  test('the numbers beside views and projects are those of the list', async () => {
    const [all, none] = [
      { ...body, name: 'Counted', query: 'is:unresolved', projects: [], environments: [], statsPeriod: '14d' },
      { ...body, name: 'Counted zero', query: 'level:fatal fruit:nothing', projects: ['web'], environments: [] },
    ]
    const make = async (view: object) =>
      ((await call('POST', `${O}/searches/`, { body: view })).json as { id: string }).id
    const [allId, noneId] = [await make(all), await make(none)]
    const list = (await call('GET', `${O}/issues/?query=is:unresolved&statsPeriod=14d`)).json as unknown[]
    const counts = (await call('GET', `${O}/issue-counts/`)).json as RestIssueCounts
    const numberOf = (id: string) => counts.views.find((view) => view.id === id)?.count
    expect([numberOf(allId), numberOf(noneId)]).toEqual([list.length, 0])
    expect(list.length).toBeGreaterThan(0)
    expect(counts.projects).toEqual([{ id: String(made().project.id), unresolved: list.length }])
    expect(counts.newFeedback).toBe(0)
    for (const id of [allId, noneId]) await call('DELETE', `${O}/searches/${id}/`)
    // A deleted view leaves at once, although the numbers are shared for a while.
    expect(
      ((await call('GET', `${O}/issue-counts/`)).json as RestIssueCounts).views.map((view) => view.id),
    ).not.toContain(allId)
  })

  test('a view that the stream would refuse has no number, and the others keep theirs', async () => {
    const { app, organization } = made()
    const meUserId = 'somebody'
    const view = await toRestSearch(
      app.meta,
      {
        id: 1,
        organizationId: organization.id,
        scope: 'issues',
        userId: meUserId,
        name: 'v',
        shared: false,
        query: 'is:unresolved',
        sort: 'date',
        projects: [],
        environments: [],
        span: '',
        columns: [],
        facets: [],
        createdMs: 0,
        rev: 0,
      },
      { userId: meUserId, mayShare: false },
      false,
    )
    const counts = await issueCountsOf(app, {
      organization,
      projects: [made().project],
      meUserId,
      views: [
        { ...view, id: '1', query: 'is:nonsense' },
        { ...view, id: '2', projects: ['gone'] },
        { ...view, id: '3', statsPeriod: 'soon' },
        { ...view, id: '4' },
      ],
    })
    expect(counts.views.map(({ count }) => count === null)).toEqual([true, true, true, false])
  })
})
