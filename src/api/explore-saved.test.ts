import { beforeAll, describe, expect, test } from 'vitest'
import type { RestExport } from '../contract/explore/exports.ts'
import type { RestSavedQuery } from '../contract/explore/saved-queries.ts'
import type { RestSqlAnswer } from '../contract/explore/sql.ts'
import { appForFile } from './app.cases.ts'
import { seedEvents } from './seed.cases.ts'

// Saved queries, exports and the SQL of owners over REST, with real stores.

const { made, call, personAs } = appForFile()
const saved = '/organizations/acme/explore/saved'
const sql = '/organizations/acme/explore/sql'
const exports = '/organizations/acme/exports'
const plan = { dataset: 'errors', series: [{ name: 'a', aggregate: 'count()' }], groupBy: ['level'] }
const rows = { dataset: 'errors', columns: ['timestamp', 'level', 'message'] }

beforeAll(async () => {
  await made().store([...seedEvents])
}, 30_000)

describe('saved queries', () => {
  test('members save, viewers open shared ones, and strangers see none', async () => {
    const member = await personAs('member')
    const viewer = await personAs('viewer')
    const stranger = await personAs(null)
    const body = { name: 'Levels', plan, visibility: 'organization', statsPeriod: '7d', projects: ['1'] }
    const created = await call('POST', `${saved}/`, { token: member.token, body })
    expect(created.status).toBe(201)
    const query = created.json as RestSavedQuery
    expect(query).toMatchObject({ name: 'Levels', statsPeriod: '7d', isEditable: true, revision: 0 })
    expect(query.plan.limit).toBe(100)
    expect(query.url).toBe(`http://mishap.test/o/acme/explore?saved=${query.id}`)
    const own = await call('POST', `${saved}/`, { token: member.token, body: { name: 'Mine', plan } })
    const list = (await call('GET', `${saved}/`, { token: viewer.token })).json as RestSavedQuery[]
    expect(list.map(({ name, isEditable }) => [name, isEditable])).toEqual([['Levels', false]])
    const mine = `${saved}/${(own.json as RestSavedQuery).id}/`
    expect((await call('GET', mine, { token: viewer.token })).status).toBe(404)
    expect((await call('POST', `${saved}/`, { token: viewer.token, body })).status).toBe(403)
    expect((await call('DELETE', `${saved}/${query.id}/`, { token: viewer.token })).status).toBe(403)
    expect((await call('GET', `${saved}/${query.id}/`, { token: stranger.token })).status).toBe(404)
    const renamed = { name: 'By level', revision: 0 }
    expect((await call('PUT', `${saved}/${query.id}/`, { body: renamed })).json).toMatchObject({ revision: 1 })
    expect((await call('PUT', `${saved}/${query.id}/`, { body: renamed })).status).toBe(409)
    expect((await call('PUT', `${saved}/${query.id}/`, { body: { revision: 1 } })).status).toBe(400)
    expect((await call('DELETE', `${saved}/${query.id}/`, { token: member.token })).status).toBe(204)
  })

  test('only its owner takes a shared query from the others', async () => {
    const member = await personAs('member')
    const other = await personAs('admin')
    const body = { name: 'Of all', plan, visibility: 'organization' }
    const { id } = (await call('POST', `${saved}/`, { token: member.token, body })).json as RestSavedQuery
    const taken = { body: { visibility: 'owner' }, token: other.token }
    expect((await call('PUT', `${saved}/${id}/`, taken)).status).toBe(403)
    expect((await call('GET', `${saved}/${id}/`, { token: other.token })).status).toBe(200)
    expect((await call('PUT', `${saved}/${id}/`, { ...taken, token: member.token })).status).toBe(200)
    expect((await call('GET', `${saved}/${id}/`, { token: other.token })).status).toBe(404)
  })

  test('a plan that is no plan is refused with its field', async () => {
    const answer = await call('POST', `${saved}/`, { body: { name: 'x', plan: { dataset: 'nothing' } } })
    expect([answer.status, Object.keys(answer.json)]).toEqual([400, ['plan']])
  })
})

describe('SQL', () => {
  test('owners read the rows of their organization', async () => {
    const answer = await call('POST', `${sql}/`, {
      body: { sql: 'SELECT project, count() AS n FROM errors GROUP BY project' },
    })
    const { columns, rows: found, meta } = answer.json as RestSqlAnswer
    expect([columns.map(({ name }) => name), found]).toEqual([['project', 'n'], [['web', String(seedEvents.length)]]])
    expect(meta).toMatchObject({ truncated: false, rowsRead: expect.any(Number) })
    const views = (await call('GET', `${sql}/`)).json as { name: string }[]
    expect(views.map(({ name }) => name)).toEqual(expect.arrayContaining(['errors', 'spans', 'logs']))
  })

  test('admins, members and tokens without the scope do not; an owner of another organization reads none of it', async () => {
    const body = { sql: 'SELECT count() FROM errors' }
    for (const role of ['admin', 'member', 'viewer'] as const)
      expect((await call('POST', `${sql}/`, { body, token: (await personAs(role)).token })).status).toBe(403)
    const weak = await personAs('owner', ['event:admin', 'org:write'], 'weak')
    expect((await call('POST', `${sql}/`, { body, token: weak.token })).json).toMatchObject({
      code: 'AUTH_TOKEN_SCOPE',
    })
    const other = await personAs(null, undefined, 'other')
    const { app } = made()
    await app.meta.organizations.createOrganization({ slug: 'other', name: 'Other', ownerUserId: other.id })
    expect((await call('POST', `${sql}/`, { body, token: other.token })).status).toBe(404)
    const own = await call('POST', '/organizations/other/explore/sql/', { body, token: other.token })
    expect((own.json as RestSqlAnswer).rows).toEqual([['0']])
  })

  test('a refused statement has a code and a position', async () => {
    const answer = await call('POST', `${sql}/`, { body: { sql: 'SELECT * FROM system.tables' } })
    expect([answer.status, answer.json]).toEqual([
      400,
      expect.objectContaining({ code: 'SQL_REFUSED', detail: expect.stringContaining('At position 15') }),
    ])
  })
})

describe('exports', () => {
  async function finished(id: string, token?: string): Promise<RestExport> {
    await made().app.exports.run()
    return (await call('GET', `${exports}/${id}/`, token ? { token } : {})).json as RestExport
  }

  test.each(['csv', 'jsonl', 'parquet'] as const)('rows as %s, for the person that asked', async (format) => {
    const member = await personAs('member')
    const created = await call('POST', `${exports}/?statsPeriod=30d`, {
      token: member.token,
      body: { plan: rows, format },
    })
    expect(created.status).toBe(201)
    const done = await finished((created.json as RestExport).id, member.token)
    expect(done).toMatchObject({ state: 'done', rows: seedEvents.length, rowsTotal: seedEvents.length, error: null })
    const path = (done.downloadUrl ?? '').replace('/api/0', '')
    const file = await call('GET', path, { token: member.token })
    expect([file.status, file.headers.get('content-disposition')]).toEqual([
      200,
      `attachment; filename="acme-errors-${done.id}.${format}"`,
    ])
    if (format === 'csv') expect(file.text.split('\r\n')).toHaveLength(seedEvents.length + 2)
    if (format === 'jsonl') expect(file.text.trimEnd().split('\n')).toHaveLength(seedEvents.length)
    if (format === 'parquet') expect([file.text.slice(0, 4), file.text.slice(-4)]).toEqual(['PAR1', 'PAR1'])
    expect((await call('GET', path)).status).toBe(404)
    expect(((await call('GET', `${exports}/`)).json as RestExport[]).map(({ id }) => id)).not.toContain(done.id)
    await made().app.meta.organizations.removeMember(made().organization.id, member.id)
    expect((await call('GET', path, { token: member.token })).status).toBe(404)
  })

  test('groups as a table; a wrong plan is refused at once', async () => {
    const created = await call('POST', `${exports}/?statsPeriod=30d`, { body: { plan } })
    const done = await finished((created.json as RestExport).id)
    const file = await call('GET', (done.downloadUrl ?? '').replace('/api/0', ''))
    expect(file.text.split('\r\n')[0]).toBe('level,count()')
    expect((await call('DELETE', `${exports}/${done.id}/`)).status).toBe(204)
    expect((await call('GET', `${exports}/${done.id}/`)).status).toBe(404)
    const wrong = await call('POST', `${exports}/`, { body: { plan: { ...plan, query: '(' } } })
    expect([wrong.status, (wrong.json as { code: string }).code]).toEqual([400, 'QUERY_SYNTAX'])
    const unknown = await call('POST', `${exports}/`, { body: { plan: { ...plan, groupBy: ['a b'] } } })
    expect(unknown.status).toBe(400)
  })
})
