import { beforeAll, describe, expect, test } from 'vitest'
import type { RestDashboard, RestDashboardSummary, RestTileData } from '../contract/explore/dashboards.ts'
import { readyDashboards } from '../query/dashboards/ready-dashboards.ts'
import type { Role } from '../store/meta/meta.ts'
import { appForFile } from './app.cases.ts'
import { seedEvents } from './seed.cases.ts'

// Dashboards over REST: who sees and changes them, what is refused, revisions and favourites.

const { made, call, personAs } = appForFile()
const O = '/organizations/acme/dashboards/'

const tile = {
  title: 'Errors',
  displayType: 'line',
  widgetType: 'logs',
  queries: [
    { name: '', fields: ['count()'], aggregates: ['count()'], columns: [], conditions: 'severity:error', orderby: '' },
  ],
}
const as = async (role: Role, scopes = ['event:admin', 'org:admin']): Promise<string> =>
  (await personAs(role, scopes, `${role}${Math.random()}`)).token

const tokens = { member: '', other: '', viewer: '' }
beforeAll(async () => {
  tokens.member = await as('member')
  tokens.other = await as('member')
  tokens.viewer = await as('viewer')
})

type Json = { code?: string }
const ask = async (method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, token: string, body?: unknown) => {
  const answer = await call(method, path, { token, ...(body === undefined ? {} : { body }) })
  return { status: answer.status, json: answer.json as RestDashboard & Json }
}
const create = async (body: object, token = tokens.member) => (await ask('POST', O, token, body)).json
const titles = async (token: string) => {
  const list = (await call('GET', O, { token })).json as RestDashboardSummary[]
  return list.map(({ title }) => title)
}

test('a dashboard is made and read, with a plan beside its queries', async () => {
  const made = await ask('POST', O, tokens.member, { title: 'Shop', widgets: [tile] })
  expect(made.status).toBe(201)
  const { json } = await ask('GET', `${O}${made.json.id}/`, tokens.viewer)
  expect(json).toMatchObject({
    title: 'Shop',
    visibility: 'organization',
    isEditable: false,
    isReadyMade: false,
    permissions: { isEditableByEveryone: true, teamsWithEditAccess: [] },
    widgets: [
      {
        id: '1',
        layout: { x: 0, y: 0, w: 3, h: 2, minH: 1 },
        queries: tile.queries.map((query) => ({ ...query, fieldAliases: [] })),
        plan: { dataset: 'logs', query: 'severity:error', series: [{ name: 'a', aggregate: 'count()' }] },
      },
    ],
  })
  // What is read can be sent back, and changes nothing.
  const { revision, ...sent } = json
  const back = await ask('PUT', `${O}${json.id}/`, tokens.member, { ...sent, revision })
  expect([back.status, back.json.widgets]).toEqual([200, json.widgets])
})

describe('who sees and changes', () => {
  test('one’s own is hidden from others, also by its id', async () => {
    const { id } = await create({ title: 'Secret', visibility: 'owner' })
    expect(await titles(tokens.member)).toContain('Secret')
    expect(await titles(tokens.other)).not.toContain('Secret')
    for (const method of ['GET', 'DELETE'] as const)
      expect((await ask(method, `${O}${id}/`, tokens.other)).status).toBe(404)
    expect((await ask('PUT', `${O}${id}/`, tokens.other, { title: 'Mine' })).status).toBe(404)
    expect((await ask('POST', O, tokens.other, { title: 'Copy', duplicate: id })).status).toBe(404)
  })
  test('members change shared ones, and only the owner takes one away', async () => {
    const { id } = await create({ title: 'Ours' })
    expect((await ask('PUT', `${O}${id}/`, tokens.other, { title: 'Theirs' })).json.title).toBe('Theirs')
    expect((await ask('PUT', `${O}${id}/`, tokens.other, { visibility: 'owner' })).status).toBe(403)
    expect((await ask('PUT', `${O}${id}/`, tokens.viewer, { title: 'X' })).status).toBe(403)
    expect((await ask('POST', O, tokens.viewer, { title: 'X' })).status).toBe(403)
    expect((await ask('PUT', `${O}${id}/`, tokens.member, { visibility: 'owner' })).json.visibility).toBe('owner')
  })
  test('ready-made ones are read and duplicated, and not changed', async () => {
    expect((await titles(tokens.viewer)).slice(-4)).toEqual([
      'Application health',
      'First hour of a release',
      'Web vitals',
      'This installation',
    ])
    const { json } = await ask('GET', `${O}health/`, tokens.viewer)
    expect([json.isReadyMade, json.isEditable]).toEqual([true, false])
    expect((await ask('PUT', `${O}health/`, tokens.member, { title: 'X' })).status).toBe(403)
    expect((await ask('DELETE', `${O}health/`, tokens.member)).status).toBe(403)
    const copy = await create({ title: 'My health', duplicate: 'health' })
    expect([copy.widgets, copy.isReadyMade, copy.isEditable]).toEqual([json.widgets, false, true])
  })
})

test('a change for an older revision is refused, earlier states are kept and come back', async () => {
  const { id } = await create({ title: 'One', widgets: [tile] })
  const path = `${O}${id}/`
  expect((await ask('PUT', path, tokens.member, { title: 'Two', widgets: [], revision: 0 })).json.revision).toBe(1)
  expect((await ask('PUT', path, tokens.other, { title: 'Three', revision: 0 })).status).toBe(409)
  const revisions = (await call('GET', `${path}revisions/`, { token: tokens.viewer })).json
  expect(revisions).toMatchObject([{ id: '0', title: 'One', widgetDisplay: ['line'] }])
  expect((await ask('POST', `${path}revisions/9/restore/`, tokens.member)).status).toBe(404)
  const restored = await ask('POST', `${path}revisions/0/restore/`, tokens.other)
  expect(restored.json).toMatchObject({ title: 'One', revision: 2, widgets: [{ title: 'Errors' }] })
  expect((await ask('DELETE', path, tokens.member)).status).toBe(204)
  expect((await ask('GET', path, tokens.member)).status).toBe(404)
})

test('favourites are one’s own and come first, also those of a viewer', async () => {
  expect((await ask('PUT', `${O}installation/favorite/`, tokens.viewer, { isFavorited: true })).status).toBe(204)
  expect((await titles(tokens.viewer))[0]).toBe('This installation')
  expect((await titles(tokens.other))[0]).not.toBe('This installation')
  expect((await ask('PUT', `${O}999/favorite/`, tokens.viewer, { isFavorited: true })).status).toBe(404)
})

test.each<[string, object]>([
  ['widgets', { widgets: [{ ...tile, displayType: 'world_map' }] }],
  ['widgets', { widgets: [{ ...tile, thresholds: { max_values: { max1: 1 } } }] }],
  ['widgets[0].queries[0].orderby', { widgets: [{ ...tile, queries: [{ ...tile.queries[0], orderby: 'x' }] }] }],
  ['permissions', { permissions: { isEditableByEveryone: false, teamsWithEditAccess: [] } }],
  ['start', { start: '2026-01-01T00:00:00Z' }],
  ['title', { title: ' ' }],
])('what cannot be kept is refused with its field: %s', async (field, body) => {
  const { status, json } = await ask('POST', O, tokens.member, { title: 'X', ...body })
  expect([status, Object.keys(json)]).toEqual([400, [field]])
})

test('the list finds titles', async () => {
  await create({ title: 'Payments <b>' })
  const list = (await call('GET', `${O}?query=PAYMENTS`, { token: tokens.viewer })).json as RestDashboardSummary[]
  expect(list.map(({ title }) => title)).toEqual(['Payments <b>'])
})

describe('what tiles show', () => {
  const dataOf = (id: string, tileId: string, search = '') =>
    call('GET', `${O}${id}/widgets/${tileId}/data/?statsPeriod=1h${search}`, { token: tokens.viewer })
  beforeAll(async () => {
    await made().store(seedEvents)
  }, 30_000)

  test.each(readyDashboards.map(({ name, content }) => [name, content.widgets] as const))(
    'each tile of the ready-made dashboard %s is answered',
    async (name, widgets) => {
      const answers = await Promise.all(widgets.map(async ({ id, title }) => ({ title, ...(await dataOf(name, id)) })))
      expect(answers.filter(({ status }) => status !== 200).map(({ title, json }) => ({ title, json }))).toEqual([])
    },
  )

  test('the filters of all tiles narrow plans and lists of issues', async () => {
    const issues = {
      title: 'I',
      displayType: 'table',
      widgetType: 'issue',
      queries: [{ conditions: '', orderby: 'freq' }],
    }
    const count = { fields: ['count()'], aggregates: ['count()'] }
    const number = { title: 'N', displayType: 'big_number', widgetType: 'error-events', queries: [count] }
    const { id } = await create({ title: 'Both', widgets: [number, issues], attribute: 'fruit' })
    const shown = async (search: string) => {
      const answers = await Promise.all(['1', '2'].map(async (tileId) => (await dataOf(id, tileId, search)).json))
      return (answers as RestTileData[]).map(({ answer, issues: list }) => list?.length ?? answer?.rows[0]?.[0])
    }
    const [all, found] = await shown('')
    expect([Number(all) > 2, Number(found) > 0]).toEqual([true, true])
    expect(await shown('&value=pear')).toEqual([2, 1])
    expect(await shown('&value=pear&value=apple')).toEqual([3, 1])
    expect(await shown('&release=nothing%20"of*')).toEqual([0, 0])
  })

  test('a tile with a condition on a function keeps it beside the filters of all tiles', async () => {
    const query = { fields: ['op', 'count()'], columns: ['op'], aggregates: ['count()'] }
    const widget = (conditions: string) => ({
      title: 'G',
      displayType: 'table',
      widgetType: 'spans',
      queries: [{ ...query, conditions }],
    })
    const { id } = await create({ title: 'Large', widgets: [widget('count():>5 op:db'), widget('op:db OR op:x')] })
    const plans = await Promise.all(['1', '2'].map(async (tileId) => (await dataOf(id, tileId, '&release=a')).json))
    expect((plans as RestTileData[]).map(({ plan }) => plan?.query)).toEqual([
      'count():>5 op:db release:"a"',
      '(op:db OR op:x) release:"a"',
    ])
  })

  test.each([
    ['spans', 'op:a) OR (op:b'],
    ['error-events', 'level:error) OR (level:info'],
    ['issue', 'is:unresolved) OR (is:resolved'],
  ])('a tile of %s cannot leave the filters of all tiles: %s', async (widgetType, conditions) => {
    const isList = widgetType === 'issue'
    const query = isList ? { fields: ['issue'], columns: ['issue'] } : { fields: ['count()'], aggregates: ['count()'] }
    const widget = { title: 'E', displayType: 'table', widgetType, queries: [{ ...query, conditions }] }
    const body = { widget }
    const path = `${O}widget-data/?statsPeriod=1h&release=a`
    const { status, json } = await call('POST', path, { token: tokens.member, body })
    expect([status, (json as { code?: string }).code]).toEqual([400, 'QUERY_SYNTAX'])
  })

  test('a tile that is not stored is answered, or refused with its field', async () => {
    const path = `${O}widget-data/?statsPeriod=1h`
    const count = { fields: ['count()'], aggregates: ['count()'] }
    const widget = { displayType: 'bar', widgetType: 'error-events', queries: [count] }
    const { status, json } = await call('POST', path, { token: tokens.member, body: { widget } })
    const { answer } = json as RestTileData
    expect([status, answer?.series.length]).toEqual([200, 1])
    const wrong = { ...widget, queries: [{ ...count, orderby: 'x' }] }
    const refused = await call('POST', path, { token: tokens.member, body: { widget: wrong } })
    expect([refused.status, Object.keys(refused.json as object)]).toEqual([400, ['widgets[0].queries[0].orderby']])
    const syntax = { ...widget, queries: [{ ...count, conditions: 'level:' }] }
    expect(await call('POST', path, { token: tokens.member, body: { widget: syntax } })).toMatchObject({
      status: 400,
      json: { code: 'QUERY_SYNTAX' },
    })
  })

  test('tiles of others’ own dashboards are hidden', async () => {
    const { id } = await create({ title: 'Mine', visibility: 'owner', widgets: [tile] })
    expect((await dataOf(id, '1')).status).toBe(404)
    expect((await dataOf('health', '99')).status).toBe(404)
  })
})
