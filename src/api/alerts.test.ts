import { describe, expect, test } from 'vitest'
import type { RestAlertRule } from '../contract/alerts/alerts.ts'
import { appForFile } from './app.cases.ts'

const { made, call, personAs } = appForFile()
const A = '/organizations/acme/alerts'
const issue = { when: [{ type: 'new' }, { type: 'events', count: 10, windowMinutes: 60 }], filter: 'level:error' }
const rule = { name: 'New errors', projects: ['web'], issue }

async function make(body: object = {}): Promise<RestAlertRule> {
  const answer = await call('POST', `${A}/`, { body: { ...rule, ...body } })
  expect(answer.status).toBe(201)
  return answer.json
}

const names = (answer: { json: never }) => (answer.json as RestAlertRule[]).map(({ name }) => name)

describe('alert rules', () => {
  test('are made, read, changed, muted and deleted', async () => {
    const made = await make({ actions: [{ type: 'members' }] })
    expect(made).toMatchObject({
      kind: 'issue',
      projects: ['web'],
      environment: null,
      isActive: true,
      mutedUntil: null,
      state: { status: 'ok', reason: '', since: null, evaluatedTo: null, value: null },
      issue: { ...issue, match: 'any', unless: { noise: false, skew: false, quietHours: null } },
      metric: null,
      intervalMinutes: 30,
      unevaluable: [],
      original: null,
      revision: 0,
    })
    expect((await call('GET', `${A}/${made.id}/`)).json).toEqual(made)
    const changed = await call('PUT', `${A}/${made.id}/`, {
      body: { mutedUntil: '2030-01-01T00:00:00Z', isActive: false, revision: 0 },
    })
    expect(changed.json).toMatchObject({
      mutedUntil: '2030-01-01T00:00:00.000Z',
      state: { status: 'inactive' },
      issue,
      revision: 1,
    })
    const stale = await call('PUT', `${A}/${made.id}/`, { body: { name: 'X' }, headers: { 'if-match': '"0"' } })
    expect([stale.status, stale.json]).toMatchObject([409, { code: 'CONFLICT', current: { revision: 1 } }])
    expect((await call('DELETE', `${A}/${made.id}/`, { headers: { 'if-match': '"0"' } })).status).toBe(409)
    expect((await call('DELETE', `${A}/${made.id}/`)).status).toBe(204)
    expect((await call('GET', `${A}/${made.id}/`)).status).toBe(404)
    const restored = await call('POST', `${A}/${made.id}/restore/`)
    expect([restored.status, restored.json]).toEqual([200, { ...(changed.json as object), revision: 2 }])
    expect((await call('POST', `${A}/${made.id}/restore/`)).status).toBe(404)
    expect((await call('POST', `${A}/x/restore/`)).status).toBe(404)
    await call('DELETE', `${A}/${made.id}/`)
  })

  test('are listed by name in pages, and by kind, status, text and project', async () => {
    const ids: string[] = []
    for (const name of ['beta', 'Alpha', 'gamma']) ids.push((await make({ name })).id)
    await call('PUT', `${A}/${ids[2]}/`, { body: { isActive: false } })
    const all = await make({ name: 'of all', projects: [] })
    const page = await call('GET', `${A}/?limit=2`)
    expect([names(page), page.headers.get('x-hits')]).toEqual([['Alpha', 'beta'], '4'])
    const cursor = /cursor="(0:2:0)"/.exec(page.headers.get('link') ?? '')?.[1]
    expect(names(await call('GET', `${A}/?limit=2&cursor=${cursor}`))).toEqual(['gamma', 'of all'])
    expect(names(await call('GET', `${A}/?status=inactive`))).toEqual(['gamma'])
    expect(names(await call('GET', `${A}/?kind=metric`))).toEqual([])
    expect(names(await call('GET', `${A}/?query=ALP`))).toEqual(['Alpha'])
    const { app, organization } = made()
    await app.meta.projects.createProject({ organizationId: organization.id, slug: 'shop', name: 'S', platform: null })
    expect(names(await call('GET', `${A}/?project=shop`))).toEqual(['of all'])
    expect((await call('GET', `${A}/?project=nope`)).status).toBe(400)
    for (const id of [...ids, all.id]) await call('DELETE', `${A}/${id}/`)
  })

  test.each([
    [{ name: '' }, ['name']],
    [{ issue: { when: [{ type: 'sometimes' }] } }, ['issue']],
    [{ issue: { when: [{ type: 'events', count: 0, windowMinutes: 1 }] } }, ['issue']],
    [{ issue: { ...issue, unless: { quietHours: { from: '22:00', to: '7', timeZone: 'Mars/Olympus' } } } }, ['issue']],
    [{ intervalMinutes: 4 }, ['intervalMinutes']],
    [{ projects: ['nope'], owner: 'user:nobody' }, ['owner', 'projects']],
    [{ actions: [{ type: 'channel', channel: '99' }] }, ['actions.0']],
    [{ issue: { ...issue, filter: '((' } }, ['issue.filter']],
    [{ issue: null }, ['issue']],
  ])('%j is refused at its fields, and nothing is stored', async (body, fields) => {
    const answer = await call('POST', `${A}/`, { body: { ...rule, ...body } })
    expect([answer.status, Object.keys(answer.json).sort()]).toEqual([400, fields])
    expect((await call('GET', `${A}/`)).json).toEqual([])
  })

  test('a rule whose projects are gone is inactive and does not widen', async () => {
    const { app, organization } = made()
    const value = { organizationId: organization.id, slug: 'gone', name: 'Gone', platform: null }
    const { id } = await app.meta.projects.createProject(value)
    const kept = await make({ projects: ['gone'] })
    const removal = await app.meta.retention.requestRemoval({
      kind: 'project',
      projectId: id,
      issueId: null,
      userId: null,
    })
    await app.meta.retention.removeRows(removal.id, 0)
    expect((await call('GET', `${A}/${kept.id}/`)).json).toMatchObject({
      projects: [],
      areProjectsGone: true,
      state: { status: 'inactive', reason: 'The projects of this rule were deleted.' },
    })
    const change = async (body: object) =>
      (await call('PUT', `${A}/${kept.id}/`, { body })) as { status: number; json: object }
    // A form that was filled from the answer sends no projects: that must not mean all.
    for (const body of [{ isActive: true }, { projects: [], isActive: true }]) {
      const refused = await change(body)
      expect([refused.status, Object.keys(refused.json)]).toEqual([400, ['projects']])
    }
    for (const body of [{ intervalMinutes: 45 }, { projects: [], name: 'Kept' }, { isActive: false }])
      expect((await change(body)).json).toMatchObject({ areProjectsGone: true, state: { status: 'inactive' } })
    expect((await change({ projects: ['web'], isActive: true })).json).toMatchObject({
      projects: ['web'],
      areProjectsGone: false,
      state: { status: 'ok' },
    })
    await call('DELETE', `${A}/${kept.id}/`)
  })
})

describe('metric rules', () => {
  const plan = {
    dataset: 'errors',
    query: 'level:error',
    series: [{ name: 'a', aggregate: 'count()' }],
    formulas: [{ name: 'f', expression: 'a / 5' }],
  }
  const threshold = { type: 'fixed', direction: 'above', critical: 10, warning: 5 }
  const metric = { plan, of: 'f', windowMinutes: 5, threshold }
  const measured = { name: 'Many errors', metric }

  test('keep their plan and thresholds, and change in part', async () => {
    const { id, ...rest } = await make({ ...measured, issue: null })
    expect(rest).toMatchObject({
      kind: 'metric',
      issue: null,
      metric: { plan: { ...plan, groupBy: [], limit: 100 }, of: 'f', threshold: { ...threshold, resolve: null } },
    })
    const next = { ...metric, threshold: { ...threshold, critical: 20 }, missing: 'fire' }
    const changed = await call('PUT', `${A}/${id}/`, { body: { metric: next, environment: 'prod' } })
    expect(changed.json).toMatchObject({
      projects: ['web'],
      environment: 'prod',
      metric: { threshold: { critical: 20 }, missing: 'fire' },
      revision: 1,
    })
    const wrongKind = await call('PUT', `${A}/${id}/`, { body: { issue } })
    expect([wrongKind.status, Object.keys(wrongKind.json)]).toEqual([400, ['issue']])
    expect((await call('DELETE', `${A}/${id}/`)).status).toBe(204)
  })

  test.each<[object, string[]]>([
    [{ plan: { ...plan, series: [{ name: 'a', aggregate: 'median_of(x)' }] } }, ['metric.plan']],
    [{ plan: { ...plan, formulas: [{ name: 'f', expression: 'b / 5' }] } }, ['metric.plan']],
    [{ plan: { ...plan, query: 'level:error OR' } }, ['metric.plan']],
    [{ plan: { ...plan, dataset: 'outcomes', query: 'nothing:x' } }, ['metric.plan']],
    [{ of: 'c' }, ['metric.of']],
    [{ threshold: { ...threshold, warning: 10 } }, ['metric.threshold']],
    [{ windowMinutes: 43_201 }, ['metric']],
  ])('with %j are refused at their field', async (more, fields) => {
    const body = { ...measured, metric: { ...metric, ...more } }
    const answer = await call('POST', `${A}/`, { body })
    expect([answer.status, Object.keys(answer.json)]).toEqual([400, fields])
    expect((await call('GET', `${A}/`)).json).toEqual([])
  })
})

describe('permissions', () => {
  test('viewers and tokens that only read see rules and change none', async () => {
    const { id } = await make()
    const viewer = await personAs('viewer', ['alerts:write'])
    const reader = await personAs('member', ['alerts:read'], 'reader')
    const other = await personAs('owner', ['event:admin'], 'other')
    for (const { token } of [viewer, reader]) {
      expect((await call('GET', `${A}/${id}/`, { token })).status).toBe(200)
      expect((await call('POST', `${A}/`, { token, body: rule })).status).toBe(403)
      expect((await call('PUT', `${A}/${id}/`, { token, body: { name: 'X' } })).status).toBe(403)
      expect((await call('DELETE', `${A}/${id}/`, { token })).status).toBe(403)
    }
    expect((await call('GET', `${A}/`, { token: other.token })).status).toBe(403)
    const member = await personAs('member', ['alerts:write'], 'writer')
    expect((await call('DELETE', `${A}/${id}/`, { token: member.token })).status).toBe(204)
  })

  test('a rule of another organization is not there, nor are its projects, channels and people', async () => {
    const { app } = made()
    const eve = await personAs(null, undefined, 'eve')
    const other = await app.meta.organizations.createOrganization({ slug: 'other', name: 'O', ownerUserId: eve.id })
    const channel = await app.meta.alerts.createChannel({
      organizationId: other.id,
      projectId: null,
      kind: 'slack',
      name: 'Chat',
      sealedTarget: 't',
      sealedSecret: '',
    })
    const { id } = await make()
    for (const method of ['GET', 'PUT', 'DELETE']) {
      const options = { token: eve.token, ...(method === 'PUT' ? { body: { name: 'X' } } : {}) }
      expect((await call(method, `/organizations/other/alerts/${id}/`, options)).status).toBe(404)
      expect((await call(method, `${A}/${id}/`, options)).status).toBe(404)
    }
    const foreign = {
      ...rule,
      owner: `user:${eve.id}`,
      actions: [
        { type: 'channel', channel: String(channel.id) },
        { type: 'person', person: eve.id },
      ],
    }
    const refused = await call('POST', `${A}/`, { body: foreign })
    expect([refused.status, Object.keys(refused.json).sort()]).toEqual([400, ['actions.0', 'actions.1', 'owner']])
    const theirs = await call('POST', '/organizations/other/alerts/', { body: rule, token: eve.token })
    expect([theirs.status, Object.keys(theirs.json)]).toEqual([400, ['projects']])
    expect((await call('DELETE', `${A}/${id}/`)).status).toBe(204)
  })
})
