import { beforeAll, expect, test } from 'vitest'
import type { RestRegroupings } from '../contract/reprocessing.ts'
import { missingMapsMax } from '../store/meta/ingest/missing-source-maps.ts'
import { appForFile } from './app.cases.ts'
import { hex, seedEvents } from './seed.cases.ts'

// Reprocessed events and fetched scripts over the API, with real stores.

const { made, call } = appForFile()
const O = '/organizations/acme'
const P = '/projects/acme/web'

beforeAll(async () => {
  await made().store(seedEvents)
}, 30_000)

const regroupings = async () => (await call('GET', `${O}/regroupings/`)).json as RestRegroupings

test('runs are told with how far they are, newest first, and only of projects that one may read', async () => {
  const { app, project } = made()
  expect(await regroupings()).toEqual({ runs: [], full: [] })
  const other = await app.meta.organizations.createOrganization({ slug: 'other', name: 'Other', ownerUserId: 'nobody' })
  const foreign = await app.meta.projects.createProject({
    organizationId: other.id,
    slug: 'x',
    name: 'X',
    platform: null,
  })
  await app.meta.retention.beginReprocessing(foreign.id, 'upload', 5)
  const first = await app.meta.retention.beginReprocessing(project.id, 'upload', 9)
  await app.meta.retention.updateReprocessing(first.id, { looked: 12, error: 'the engine is away' })
  const open = {
    project: { id: String(project.id), slug: 'web' },
    cause: 'upload',
    dateEnded: null,
    mapped: 0,
    moved: 0,
  }
  expect((await regroupings()).runs).toMatchObject([{ ...open, total: 9, looked: 9, error: 'the engine is away' }])
  await app.meta.retention.endReprocessing(first.id)
  await app.meta.retention.beginReprocessing(project.id, 'late', 1)
  const { runs } = await regroupings()
  expect(runs.map((run) => [run.cause, run.dateEnded === null, run.error])).toEqual([
    ['late', true, ''],
    ['upload', false, ''],
  ])
  expect((await call('GET', '/organizations/other/regroupings/')).status).toBe(404)
})

test('a project whose events miss too much says so', async () => {
  const { app, project } = made()
  const effect = {
    projectId: project.id,
    keyId: 1,
    jpos: 1,
    eventId: hex(900),
    hashes: ['ab'.repeat(8)],
    title: 'x',
    culprit: '',
    kind: 'error' as const,
    level: 'error',
    platform: 'javascript',
    logger: '',
    metadata: {},
    timestampMs: 1,
    receivedMs: 1,
    release: '',
    environment: '',
    digest: '',
    unhandled: false,
    misses: Array.from({ length: missingMapsMax + 3 }, (_, n) => `d:${n}`),
  }
  const { quantity } = await app.meta.artifacts.missingMapCounts(project.id)
  const from = await app.meta.batches.cursor('events')
  const batch = await app.meta.batches.openBatch(from, from + 1)
  await app.meta.batches.commitBatch(
    batch,
    { events: [effect], attachments: [], outcomes: [], dead: [] },
    app.clock.now(),
  )
  expect((await regroupings()).full).toMatchObject([
    { project: { slug: 'web' }, noted: missingMapsMax, refused: quantity + 3 },
  ])
})

test('an issue that has gone into another one is found there, by its number and its link; activity says it', async () => {
  const { app, project } = made()
  const issues = (await call('GET', `${O}/issues/?query=is:unresolved`)).json as {
    id: string
    shortId: string
    title: string
  }[]
  const [type, range] = ['TypeError', 'RangeError'].map((name) => issues.find((issue) => issue.title.startsWith(name)))
  if (!type || !range) throw new Error('no issues')
  const hashOf = async (id: string) => (await app.meta.issues.hashesOf([Number(id)])).get(Number(id))?.[0] ?? ''
  const [from, to] = [await hashOf(range.id), await hashOf(type.id)]
  const run = await app.meta.retention.beginReprocessing(project.id, 'upload', 1)
  const rewrite = {
    projectId: project.id,
    week: '2026-11-16',
    gen: 0,
    positions: [1],
    from: [from],
    to: [to],
    hours: [],
    token: 't',
  }
  const step = await app.meta.retention.planReprocessStep(run.id, rewrite)
  const effect = {
    projectId: project.id,
    keyId: 0,
    jpos: 1,
    eventId: hex(4),
    hashes: [to],
    title: 'TypeError',
    culprit: '',
    kind: 'error' as const,
    level: 'error',
    platform: 'javascript',
    logger: '',
    metadata: {},
    timestampMs: 1,
    receivedMs: 1,
    release: '',
    environment: '',
    digest: '',
    unhandled: false,
  }
  expect(await app.meta.retention.commitReprocessStep(step.id, [{ fromHash: from, effect }])).toMatchObject({
    merged: [Number(range.id)],
  })
  for (const path of [`${O}/issues/${range.id}/`, `${O}/issues/${range.shortId}/`, `/issues/${range.id}/`]) {
    const { status, json } = await call('GET', path)
    expect([path, status, (json as { id: string }).id]).toEqual([path, 200, type.id])
  }
  // The old name leads to the target for reading. A caller who deletes by it might not know the target.
  for (const name of [range.id, range.shortId]) {
    const refused = await call('DELETE', `${O}/issues/${name}/`)
    expect([refused.status, refused.json]).toMatchObject([409, { current: { id: type.id, shortId: type.shortId } }])
  }
  const { activity } = (await call('GET', `${O}/issues/${type.id}/`)).json as {
    activity: { type: string; data: object }[]
  }
  expect(activity.find((item) => item.type === 'mapped_again')?.data).toMatchObject({
    events: 1,
    came: 1,
    from: [range.shortId],
  })
  const event = (await call('GET', `${P}/events/${hex(1)}/`)).json as { dateMapped: unknown }
  expect(event.dateMapped).toBeNull()
})

test('fetching scripts is off at first; its token is kept sealed, and shown as stars', async () => {
  const { app, project } = made()
  const put = (body: object) => call('PUT', `${P}/`, { body })
  const shown = async () => {
    const { scrapeJavaScript, verifySSL, securityToken } = (await call('GET', `${P}/`)).json as Record<string, unknown>
    return [scrapeJavaScript, verifySSL, securityToken]
  }
  expect(await shown()).toEqual([false, true, ''])
  expect((await put({ scrapeJavaScript: true, verifySSL: false, securityToken: 'abc' })).status).toBe(200)
  expect(await shown()).toEqual([true, false, '********'])
  const { sealedToken } = await app.meta.artifacts.scrapeSettings(project.id)
  expect([sealedToken.includes('abc'), app.seal.open(sealedToken)]).toEqual([false, 'abc'])
  await put({ securityToken: '********', verifySSL: true })
  expect([await shown(), (await app.meta.artifacts.scrapeSettings(project.id)).sealedToken]).toEqual([
    [true, true, '********'],
    sealedToken,
  ])
  const wrong = await put({ securityToken: 'a b' })
  expect([wrong.status, wrong.json]).toEqual([400, { securityToken: [expect.any(String)] }])
  await put({ securityToken: '' })
  expect(await shown()).toEqual([true, true, ''])
})
