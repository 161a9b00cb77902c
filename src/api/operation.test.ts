import { beforeAll, describe, expect, test } from 'vitest'
import { reasons } from '../base/outcome.ts'
import type { RestDeadLetter } from '../contract/dead-letters.ts'
import type { RestRequestLog } from '../contract/request-log.ts'
import type { RestIngestHealth, RestLedger, RestOrganizationStatus, RestUsage } from '../contract/status.ts'
import { packDeadLetter } from '../journal/dead-letter.ts'
import type { RequestLogEntry } from '../journal/request-log.ts'
import { appForFile, type TestApp } from './app.cases.ts'
import { todoFor, todoOf } from './status/outcome-advice.ts'

const { made, personAs } = appForFile()
const O = '/organizations/acme'
const get = (path: string, options?: Parameters<TestApp['call']>[2]) => made().call('GET', path, options)

/** A token of a viewer. */
async function viewer(): Promise<string> {
  return (await personAs('viewer')).token
}

beforeAll(async () => {
  const { app, project } = made()
  await made().store([{ message: 'one' }, { message: 'two' }])
  const count = { projectId: project.id, keyId: 1, itemType: 'event', bytes: 10 }
  await app.meta.ledger.addOutcomes(
    [
      { ...count, category: 'error', outcome: 'invalid', reason: 'bad_json', quantity: 3 },
      { ...count, projectId: 0, keyId: 0, category: 'unknown', outcome: 'invalid', reason: 'unknown_key', quantity: 1 },
    ],
    app.clock.now(),
  )
  await app.meta.ledger.addOutcomes(
    [{ ...count, category: 'error', outcome: 'stored', reason: 'ok', quantity: 7 }],
    app.clock.now() - 5 * 3_600_000,
  )
}, 60_000)

describe('ledger', () => {
  test.each([
    ['range=1h', 6, 'bad_json ok unknown_key'],
    ['range=24h', 13, 'bad_json ok unknown_key'],
    ['range=13m&project=web', 12, 'bad_json ok'],
    ['range=24h&key=1', 12, 'bad_json ok'],
  ])('%s', async (query, sum, found) => {
    const { rows } = (await get(`${O}/ledger/?${query}`)).json as RestLedger
    expect(rows.reduce((all, row) => all + row.quantity, 0)).toBe(sum)
    expect([...new Set(rows.map((row) => row.reason))].sort().join(' ')).toBe(found)
    for (const row of rows) expect(row.todo === '').toBe(row.reason === 'ok')
  })
  test.each([
    ['range=1d', 400],
    ['key=999', 400],
    ['project=nope', 404],
  ])('%s is %d', async (query, status) => {
    expect((await get(`${O}/ledger/?${query}`)).status).toBe(status)
  })
  test('each reason says what to do', () => {
    for (const reason of reasons) expect(todoOf[reason] === '').toBe(reason === 'ok')
    expect(todoFor('__proto__')).toBe('')
  })
})

describe('dead items', () => {
  const body = Buffer.from(`{}\n{"type":"event"}\n{"message":"${'x'.repeat(20_000)}"}\n`)
  const list = async () => (await get(`${O}/dead-items/`)).json as RestDeadLetter[]

  beforeAll(async () => {
    const { app, project, organization } = made()
    const facts = { receivedMs: app.clock.now(), projectId: project.id, keyId: 1 }
    const head = {
      ...facts,
      kind: 'envelope',
      organizationId: organization.id,
      clientAddress: '',
      userAgent: '',
    } as const
    const dead = [7, 8].map((jpos) => ({
      ...facts,
      jpos,
      reason: 'Error: x',
      bytes: body.length,
      blobKey: `dead/${jpos}`,
    }))
    for (const { blobKey } of dead)
      await app.blobs.put(blobKey, packDeadLetter({ ...head, origin: '', contentType: '' }, body))
    const batch = await app.meta.batches.openBatch(1000, 1010)
    await app.meta.batches.commitBatch(batch, { events: [], attachments: [], outcomes: [], dead }, app.clock.now())
  })

  test('are listed; the record is shown to its first 16 KiB', async () => {
    const [newest] = await list()
    expect(newest).toMatchObject({ project: { slug: 'web' }, key: { label: 'Default' }, reason: 'Error: x' })
    const look = (await get(`${O}/dead-items/${newest?.id}/`)).json as { text: string; textBytes: number }
    expect(look.textBytes).toBe(16 * 1024)
    expect(look.text).toContain('"kind":"envelope"')
    expect(look.text).toContain('{"type":"event"}')
  })

  test('a viewer sees the list and nothing more; strangers see nothing', async () => {
    const token = await viewer()
    const id = (await list())[0]?.id
    expect((await get(`${O}/dead-items/`, { token })).status).toBe(200)
    for (const [method, path] of [
      ['GET', `${O}/dead-items/${id}/`],
      ['POST', `${O}/dead-items/${id}/again/`],
      ['DELETE', `${O}/dead-items/${id}/`],
    ] as const)
      expect((await made().call(method, path, { token })).status).toBe(403)
    expect((await get(`${O}/dead-items/`, { token: null })).status).toBe(401)
    expect((await get(`${O}/dead-items/99999/`)).status).toBe(404)
    expect((await get(`${O}/dead-items/x/`)).status).toBe(404)
  })

  test('are sent again, and deleted with what is kept of them', async () => {
    const [first, second] = await list()
    expect((await made().call('POST', `${O}/dead-items/${first?.id}/again/`)).status).toBe(202)
    expect(made().sent.again).toEqual([Number(first?.id)])
    expect((await made().call('DELETE', `${O}/dead-items/${second?.id}/`)).status).toBe(204)
    expect((await made().call('DELETE', `${O}/dead-items/${second?.id}/`)).status).toBe(404)
    expect(await made().app.blobs.get('dead/7')).toBeUndefined()
    expect((await list()).map((item) => item.id)).toEqual([first?.id])
  })

  test('one of spans that is deleted is counted as all of them', async () => {
    const { app, project, organization } = made()
    const facts = { receivedMs: app.clock.now(), projectId: project.id, keyId: 1 }
    const item = { ...facts, jpos: 9, reason: 'Error: x', bytes: body.length, blobKey: 'dead/9-0' }
    const head = { kind: 'envelope', organizationId: organization.id, clientAddress: '', userAgent: '' } as const
    const count = { category: 'transaction', itemType: 'transaction', spans: 6 } as const
    await app.blobs.put(item.blobKey, packDeadLetter({ ...head, ...facts, origin: '', contentType: '' }, body, count))
    const batch = await app.meta.batches.openBatch(1010, 1020)
    await app.meta.batches.commitBatch(
      batch,
      { events: [], attachments: [], outcomes: [], dead: [item] },
      app.clock.now(),
    )
    const deleted = async () =>
      (await app.meta.ledger.outcomeSums({ fromMs: 0 }))
        .filter((outcomeSum) => outcomeSum.reason === 'deleted')
        .reduce((sum, outcomeSum) => sum + outcomeSum.quantity, 0)
    const [before, [newest]] = [await deleted(), await list()]
    expect((await made().call('DELETE', `${O}/dead-items/${newest?.id}/`)).status).toBe(204)
    expect((await deleted()) - before).toBe(7)
  })
})

test('usage: rows and bytes by project, and what all share', async () => {
  const usage = (await get(`${O}/usage/`)).json as RestUsage
  expect(usage.projects).toMatchObject([{ slug: 'web', events: { rows: 2 }, attachments: { count: 0 } }])
  expect(usage.projects[0]?.events?.bytes).toBeGreaterThan(0)
  expect(usage.projects[0]?.deadItems.count).toBe(1)
})

test('the ingest debugger: a project’s requests; those without a key stand with the installation', async () => {
  const { app, project } = made()
  const note: RequestLogEntry = {
    atMs: app.clock.now(),
    keyId: 1,
    projectId: project.id,
    route: 'envelope',
    sdk: 's/1',
    bytes: 5,
    status: 403,
    code: 'ACCEPT_ORIGIN_REFUSED',
    reason: 'origin',
    eventId: '',
    jpos: -1,
    more: 0,
    items: [{ type: 'event', bytes: 4, outcome: 'invalid', reason: 'origin' }],
  }
  app.requestLog.record([note, { ...note, keyId: 0, code: 'ACCEPT_KEY_UNKNOWN', reason: 'unknown_key', items: [] }])
  const found = (await get('/projects/acme/web/ingest/')).json as RestRequestLog
  expect(found.keys).toMatchObject([{ id: '1', label: 'Default', isActive: true }])
  expect(found.requests).toMatchObject([{ key: '1', code: 'ACCEPT_ORIGIN_REFUSED', todo: todoOf.origin }])
  expect((await get('/projects/acme/web/ingest/?key=2')).json).toMatchObject({ requests: [] })
  expect((await get('/status/ingest/')).json).toMatchObject([{ key: null, todo: todoOf.unknown_key }])
})

describe('whether data arrives', () => {
  const health = async () => (await get(`${O}/health/`)).json
  const refused: RequestLogEntry = {
    atMs: 0,
    keyId: 1,
    projectId: 1,
    route: 'envelope',
    sdk: 's/1',
    bytes: 5,
    status: 413,
    code: 'ACCEPT_TOO_LARGE',
    reason: 'too_large',
    eventId: '',
    jpos: -1,
    more: 0,
    items: [],
  }

  test('refused requests of the last minutes count, unless they are old, accepted, or of a disabled key', async () => {
    const { app, project } = made()
    const before = (await health()) as RestIngestHealth
    const entry = { ...refused, atMs: app.clock.now(), projectId: project.id }
    app.requestLog.record([
      entry,
      entry,
      { ...entry, atMs: entry.atMs - 400_000 },
      { ...entry, status: 200, code: 'OK', reason: '' },
      { ...entry, reason: 'disabled_key' },
    ])
    expect(await health()).toMatchObject({
      state: 'rejecting',
      rejectedRequests: before.rejectedRequests + 2,
      rejectedProject: { id: String(project.id), slug: 'web' },
    })
  })

  test('the most severe problem gives the state', async () => {
    const { app, project } = made()
    const parts = { ...app }
    try {
      app.eventRate.add([{ projectId: project.id, events: 12 }])
      expect(await health()).toMatchObject({ eventsPerMinute: 12 })
      app.journal = async () => ({
        lagBytes: 9,
        waitingRecords: 9,
        oldestWaitingMs: 15_001,
        eventsWaitingMs: 0,
        boundBytes: 1,
      })
      expect(await health()).toMatchObject({ state: 'behind', oldestWaitingMs: 15_001 })
      app.waitsFor = () => ({ store: 'database', sinceMs: 1 })
      expect(await health()).toMatchObject({ state: 'waiting' })
      app.engineUp = () => false
      expect(await health()).toMatchObject({ state: 'down' })
    } finally {
      Object.assign(app, { journal: parts.journal, waitsFor: parts.waitsFor, engineUp: parts.engineUp })
    }
  })
})

describe('who sees what of the status', () => {
  const installation = ['/status/', '/status/access/', '/status/jobs/', '/status/ingest/']
  const statuses = async (paths: string[], token: string) =>
    Promise.all(paths.map(async (path) => (await get(path, { token })).status))

  test('the installation: the operator, who owns the first organization, and nobody else', async () => {
    const { app } = made()
    const owner = await app.auth.createPerson({
      name: 'Otto',
      email: 'otto@example.test',
      password: 'another long one',
    })
    const second = await app.meta.organizations.createOrganization({
      slug: 'second',
      name: 'Second',
      ownerUserId: owner.id,
    })
    const bound = (await app.auth.createToken(owner, 't', ['org:admin'], second.id)).secret
    expect(await statuses(installation, made().token)).toEqual([200, 204, 200, 200])
    expect(await statuses(installation, bound)).toEqual([404, 404, 404, 404])
    for (const role of ['admin', 'member', 'viewer'] as const)
      expect(await statuses(installation, (await personAs(role)).token)).toEqual([403, 403, 403, 403])
    expect(await statuses(['/organizations/second/status/'], bound)).toEqual([200])
    expect(await statuses([`${O}/status/`], bound)).toEqual([404])
  })

  test('an organization: its members see its own ledger, and nothing of the machine', async () => {
    const { app, project } = made()
    const status = await get(`${O}/status/`, { token: await viewer() })
    expect([status.status, Object.keys(status.json).sort()]).toEqual([200, ['deadItems', 'ledger', 'projects']])
    const all = (await get('/status/')).json as { ledger: { invalid: number } }
    const own = (status.json as RestOrganizationStatus).ledger
    // One item arrived without a known key and belongs to no organization.
    expect([own.invalid, own.invalid + 1]).toEqual([3, all.ledger.invalid])
    expect(own.rows.map((row) => row.reason)).not.toContain('unknown_key')
    const other = await app.meta.organizations.createOrganization({
      slug: 'third',
      name: 'Third',
      ownerUserId: 'nobody',
    })
    const theirs = await app.meta.projects.createProject({
      organizationId: other.id,
      slug: 'x',
      name: 'X',
      platform: null,
    })
    await app.meta.ledger.addOutcomes(
      [
        {
          projectId: theirs.id,
          keyId: 9,
          itemType: 'event',
          bytes: 10,
          category: 'error',
          outcome: 'invalid',
          reason: 'bad_json',
          quantity: 100,
        },
      ],
      app.clock.now(),
    )
    expect(((await get(`${O}/status/`)).json as RestOrganizationStatus).ledger.invalid).toBe(3)
    expect(project.slug).toBe('web')
  })

  test('a member’s ledger has no line without a key, and its usage nothing that all share', async () => {
    const token = await viewer()
    const { rows } = (await get(`${O}/ledger/?range=24h`, { token })).json as RestLedger
    expect(rows.map((row) => row.reason)).not.toContain('unknown_key')
    const shared = (usage: RestUsage) => [usage.journalBytes, usage.databaseBytes, usage.spoolBytes]
    expect(shared((await get(`${O}/usage/`, { token })).json)).toEqual([null, null, null])
    expect(shared((await get(`${O}/usage/`)).json)).toEqual([
      expect.any(Number),
      expect.any(Number),
      expect.any(Number),
    ])
  })
})

test.each([
  ['/status/jobs/', 200],
  ['/status/access/', 204],
])('%s', async (path, status) => {
  expect((await get(path)).status).toBe(status)
  expect((await get(path, { token: null })).status).toBe(401)
})
