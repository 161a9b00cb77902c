import { describe, expect, test } from 'vitest'
import { refineEvent } from '../refine/pipeline/fixture.cases.ts'
import { encodeEventRow } from '../store/events/encode.ts'
import type { Project } from '../store/meta/meta.ts'
import { appForFile } from './app.cases.ts'

const { made, call, personAs } = appForFile()
const nowS = Math.floor(Date.now() / 1000)
const minified = 'Minified React error #441; visit https://react.dev/errors/441 for the full message'
const hex = (n: number) => n.toString(16).padStart(32, '0')
const traceOf = (n: number) => ({ trace: { trace_id: hex(n), span_id: '0123456789abcdef' } })
const places = { jpos: 900 }

/** Stores events in a separate project and links them, like a commit and the job. */
async function stored(project: Project, ...events: Record<string, unknown>[]): Promise<void> {
  const { app, organization } = made()
  const { meta } = app
  const [key] = await meta.projects.keysOf(project.id)
  const head = { projectId: project.id, organizationId: organization.id, keyId: key?.id ?? 0, receivedMs: Date.now() }
  const jpos = places.jpos++
  const refined = events.map((event) => refineEvent(event, head))
  const batch = await meta.batches.openBatch(jpos, jpos + 1)
  const rows = refined.map((item) => encodeEventRow({ ...item.row, jpos })).join('')
  await app.events.insert('events', Buffer.from(rows), `failures:${jpos}`)
  const effects = { events: refined.map((item) => item.effect), attachments: [], outcomes: [], dead: [] }
  await meta.batches.commitBatch(batch, effects, Date.now())
  await app.triage.failures()
}

const browser = (n: number, more: Record<string, unknown>) => ({
  event_id: hex(n),
  platform: 'javascript',
  timestamp: nowS,
  user: { id: `u${n}` },
  ...more,
  exception: { values: [{ type: 'Error', value: minified }] },
})
const server = (n: number, more: Record<string, unknown>) => ({
  event_id: hex(n),
  platform: 'node',
  timestamp: nowS,
  fingerprint: [`server ${n}`],
  ...more,
  exception: { values: [{ type: 'StockError', value: `no stock ${n}` }] },
})

describe('a hidden server error and its browser events, of two projects', () => {
  const state = {} as { api: Project }
  const event = async (project: string, n: number, token?: string) =>
    (await call('GET', `/projects/acme/${project}/events/${hex(n)}/`, token === undefined ? {} : { token })).json

  test('the browser first, then the server: the link with its reason, on both sides', async () => {
    const { app, organization, project } = made()
    const { meta } = app
    state.api = await meta.projects.createProject({
      organizationId: organization.id,
      slug: 'api',
      name: 'Api',
      platform: 'node',
    })
    await meta.projects.createKey(state.api.id, 'Default')
    await stored(project, browser(1, { tags: { digest: '1000001' } }), browser(2, { contexts: traceOf(2) }))
    expect(await event('web', 1)).toMatchObject({
      digests: [{ value: '1000001', found: 'tags.digest', sure: true }],
      failure: { side: 'browser', server: null, alone: 'none', browser: null },
    })
    const runtime = { runtime: { name: 'node', version: 'v24' } }
    await stored(
      state.api,
      server(101, { tags: { digest: '1000001' }, contexts: runtime }),
      server(102, { tags: { digest: '1000002' }, contexts: { ...runtime, ...traceOf(2) } }),
    )
    const linked = { alone: null, browser: null, side: 'browser' }
    const to = { projectSlug: 'api', title: expect.stringContaining('StockError') }
    expect([(await event('web', 1)) as { failure: unknown }, await event('web', 2)]).toMatchObject([
      { failure: { ...linked, server: { ...to, reason: 'digest', sure: true, eventID: hex(101) } } },
      { failure: { ...linked, server: { ...to, reason: 'trace', sure: false, eventID: hex(102) } } },
    ])
    expect(await event('api', 101)).toMatchObject({
      failure: { side: 'server', server: null, browser: { events: 1, newest: [{ eventID: hex(1), sure: true }] } },
    })
  })

  test('the issue counts its browser side apart from its own events', async () => {
    const { project } = made()
    await stored(project, browser(3, { tags: { digest: '1000001' } }), browser(4, { tags: { digest: '1000001' } }))
    const { failure } = (await event('web', 1)) as { failure: { server: { groupID: string } } }
    const { json } = await call('GET', `/organizations/acme/issues/${failure.server.groupID}/`)
    expect(json).toMatchObject({
      lifetime: { count: '1', userCount: 0 },
      browserSide: { events: 3, people: 3, newest: [{ projectSlug: 'web' }, {}, {}] },
    })
  })

  test('a digest leads to the server’s event, also out of its sentence', async () => {
    for (const text of ['1000001', 'Application error, Digest: 1000001', 'Digest:1 000 001', '1000002']) {
      const { json } = await call('GET', `/organizations/acme/digests/${encodeURIComponent(text)}/`)
      const n = text === '1000002' ? 102 : 101
      expect(json, text).toMatchObject([{ issue: { project: { slug: 'api' } }, events: [{ id: hex(n) }] }])
    }
  })

  test('a digest that only a browser event names leads to the server event that it is linked to', async () => {
    const { project } = made()
    const breadcrumb = { timestamp: nowS, data: { arguments: [{ digest: '1000009', message: minified }] } }
    await stored(project, browser(9, { contexts: traceOf(9), breadcrumbs: [breadcrumb] }))
    expect((await call('GET', '/organizations/acme/digests/1000009/')).json).toMatchObject([
      { issue: { project: { slug: 'web' } }, events: [{ id: hex(9) }] },
    ])
    const runtime = { runtime: { name: 'node', version: 'v24' } }
    const mechanism = { type: 'auto.function.nextjs.on_request_error', handled: false }
    const exception = { values: [{ type: 'StockError', value: 'no stock 109', mechanism }] }
    const bare = { ...server(109, { contexts: { ...runtime, ...traceOf(9) } }), exception }
    await stored(state.api, bare)
    expect((await call('GET', '/organizations/acme/digests/1000009/')).json).toMatchObject([
      { issue: { project: { slug: 'api' } }, events: [{ id: hex(109) }] },
    ])
  })

  test('what only quotes a digest is none of its choice, and no number of browser events hides the choice', async () => {
    const { project } = made()
    const runtime = { runtime: { name: 'node', version: 'v24' } }
    const own = (n: number, digest: string) => server(n, { tags: { digest }, contexts: runtime })
    // Another error of the same process: its breadcrumbs contain earlier console output.
    const quoting = {
      ...server(112, { contexts: runtime }),
      breadcrumbs: [{ timestamp: nowS - 1, category: 'console', message: "Error: no stock 111 { digest: '1000111' }" }],
    }
    await stored(state.api, own(111, '1000111'), quoting)
    const hits = async (digest: string) => {
      const { json } = await call('GET', `/organizations/acme/digests/${digest}/`)
      return (json as unknown as { events: { id: string }[] }[])
        .flatMap((item) => item.events.map(({ id }) => id))
        .sort()
    }
    expect(await hits('1000111')).toEqual([hex(111)])
    await stored(state.api, own(113, '1000113'), own(114, '1000113'))
    const crowd = Array.from({ length: 120 }, (_, at) =>
      browser(200 + at, { tags: { digest: '1000113' }, timestamp: nowS + 5, fingerprint: [`browser ${at}`] }),
    )
    await stored(project, ...crowd)
    expect(await hits('1000113')).toEqual([hex(113), hex(114)])
    // A very frequent server error hides no other one.
    await stored(
      state.api,
      ...Array.from({ length: 120 }, (_, at) => ({
        ...own(400 + at, '1000113'),
        fingerprint: ['server 114'],
        timestamp: nowS + 9,
      })),
    )
    expect(await hits('1000113')).toContain(hex(113))
  })

  test('other events have no other side', async () => {
    const { project } = made()
    await stored(project, { event_id: hex(20), platform: 'javascript', timestamp: nowS, message: 'hello' })
    expect(await event('web', 20)).toMatchObject({ failure: null, digests: [] })
  })

  test('what the caller may not read is as if it were not there', async () => {
    const { app } = made()
    const { token } = await personAs('viewer')
    expect(await event('web', 1, token)).toMatchObject({ failure: { server: { projectSlug: 'api' } } })
    const { row, issue } = await eventOf(1)
    const { failureOf, clientEndsOf: browserSideOf } = await import('../query/issues/error-links.ts')
    const { normalOf } = await import('../query/issues/event.ts')
    const { project } = made()
    expect(await failureOf(app, row, normalOf(row).findings, [project.id])).toMatchObject({
      server: null,
      alone: 'none',
    })
    expect(await browserSideOf(app, issue, [state.api.id])).toMatchObject({ events: 0, people: 0, newest: [] })
  })

  async function eventOf(n: number) {
    const { app, project } = made()
    const [row] = await app.events.byEventId([project.id], hex(n))
    const link = await app.meta.errorLinks.errorLinkOf(project.id, hex(n))
    const server = link?.server
    const id = server && (await app.meta.issues.issueIdsOf([server])).get(`${server.projectId}:${server.groupHash}`)
    const issue = id === undefined ? undefined : await app.meta.issues.issueById(id)
    if (!row || !issue) throw new Error('not linked')
    return { row, issue }
  }
})
