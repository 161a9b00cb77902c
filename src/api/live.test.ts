import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, test } from 'vitest'
import type { Actor } from '../auth/auth.ts'
import { testClock } from '../base/clock.ts'
import { MishapError } from '../base/errors.ts'
import { eachSwitch } from '../domain/project-switches.ts'
import type { App } from '../processes/parts.ts'
import { createLive } from '../serve/live.ts'
import type { Organization, Project } from '../store/meta/meta.ts'
import { liveStream } from './live.ts'
import { pageHeaders } from './page.ts'
import { sendTestEvent } from './projects/test-event.ts'
import { advisoryOf, compareVersions } from './status/advisories.ts'

const organization: Organization = { id: 1, slug: 'acme', name: 'Acme', createdMs: 0 }
const actor: Actor = { kind: 'session', person: { id: 'p', name: 'P', email: 'p@x.test' } }
const project = (id: number, more: Partial<Project> = {}): Project => ({
  id,
  organizationId: 1,
  slug: `p${id}`,
  name: 'P',
  platform: 'node-express',
  createdMs: 0,
  firstEventMs: null,
  allowedOrigins: [],
  switches: eachSwitch(() => false),
  metricSeriesMax: 10_000,
  rev: 0,
  ...more,
})

/** Only the parts that these functions use. */
function parts(more: Record<string, unknown>): App {
  const meta = {
    projects: {
      projectsOf: async () => [project(1), project(2)],
      keysOf: async () => [
        { active: false, publicKey: 'no' },
        { active: true, publicKey: 'a'.repeat(32) },
      ],
    },
  }
  const auth = {
    may: async (_actor: Actor, _action: string, thing: { project: Project }) =>
      thing.project.id === 1 ? 'yes' : 'hidden',
  }
  return {
    clock: testClock(),
    live: createLive(1000),
    engineUp: () => true,
    eventsServer: () => undefined,
    meta,
    auth,
    ...more,
  } as unknown as App
}

async function read(answer: Response, times: number): Promise<string> {
  const reader = answer.body?.getReader()
  let text = ''
  for (let i = 0; i < times; i++) text += new TextDecoder().decode((await reader?.read())?.value)
  return text
}

const events = (id: string) => ({
  kind: 'events' as const,
  projects: [{ id, issues: [{ id: '7', events: 1, isNew: true }] }],
})

describe('live stream', () => {
  test('changes of readable projects with their ids, a comment each 15 s, no transform on the way', async () => {
    const clock = testClock()
    const app = parts({ clock })
    const stop = new AbortController()
    const answer = liveStream(app, actor, organization, '', stop.signal)
    expect(answer.headers.get('cache-control')).toBe('no-cache, no-transform')
    app.live.publish(1, events('1'))
    app.live.publish(1, events('2'))
    app.live.publish(2, events('1'))
    app.live.publish(1, { kind: 'engine', up: false })
    await new Promise((resolve) => setImmediate(resolve))
    clock.advance(15_000)
    const text = await read(answer, 4)
    expect(text).toBe(
      `retry: 1000\n\nid: 1001\nevent: change\ndata: ${JSON.stringify(events('1'))}\n\nid: 1003\nevent: change\ndata: {"kind":"engine","up":false}\n\n: still here\n\n`,
    )
    stop.abort()
  })

  test.each([
    ['is gone', async () => false],
    ['cannot be read', async () => Promise.reject(new Error('AUTH_FAILED'))],
  ])('ends within 15 s when what opened it %s', async (_name, stillMay) => {
    const clock = testClock()
    const app = parts({ clock })
    const answer = liveStream(app, actor, organization, '', new AbortController().signal, stillMay)
    clock.advance(15_000)
    await new Promise((resolve) => setImmediate(resolve))
    app.live.publish(1, events('1'))
    expect(await answer.text()).toBe('retry: 1000\n\n: still here\n\n')
  })

  test('stays open while the database is away, and says so without it', async () => {
    const clock = testClock()
    const away = async () => Promise.reject(new MishapError('DATABASE_UNAVAILABLE'))
    const app = parts({ clock, meta: { projects: { projectsOf: away } } })
    const stop = new AbortController()
    const answer = liveStream(app, actor, organization, '', stop.signal, away)
    app.live.publish(1, events('1'))
    app.live.publishToAll({ kind: 'database', up: false })
    clock.advance(15_000)
    await new Promise((resolve) => setImmediate(resolve))
    app.live.publishToAll({ kind: 'database', up: true })
    const text = await read(answer, 5)
    // The events before it could not be checked against the rights of the person, so the page loads them again.
    expect([...text.matchAll(/^data: (.*)$/gm)].map((match) => match[1])).toEqual([
      '{"kind":"database","up":false}',
      '{"kind":"missed"}',
      '{"kind":"database","up":true}',
    ])
    stop.abort()
  })

  test('resumes behind the last id, and not before now without one', async () => {
    const app = parts({})
    for (let i = 0; i < 3; i++) app.live.publish(1, { kind: 'issue', id: String(i) })
    const stop = new AbortController()
    const resumed = await read(liveStream(app, actor, organization, '1001', stop.signal), 3)
    expect([...resumed.matchAll(/^id: (\d+)$/gm)].map((match) => match[1])).toEqual(['1002', '1003'])
    const fresh = liveStream(app, actor, organization, '', stop.signal)
    app.live.publish(1, { kind: 'issue', id: 'x' })
    expect(await read(fresh, 2)).toContain('id: 1004')
    stop.abort()
  })

  test.each<[string, boolean, string[]]>([
    ['and the engine is up', true, ['{"kind":"missed"}']],
    [
      'and the engine is down: that too, as its message may be among them',
      false,
      ['{"kind":"missed"}', '{"kind":"engine","up":false}'],
    ],
  ])('says that changes are missed when not all are known any more, %s', async (_name, engineUp, messages) => {
    const app = parts({ engineUp: () => engineUp })
    for (let i = 0; i < 501; i++) app.live.publish(1, { kind: 'issue', id: String(i) })
    const stop = new AbortController()
    for (const lastId of ['1000', '7', '99999']) {
      const answer = liveStream(app, actor, organization, lastId, stop.signal)
      expect(await read(answer, 1 + messages.length)).toBe(
        // Only `missed` moves the position for resuming.
        `retry: 1000\n\nid: 1501\n${messages.map((data) => `event: change\ndata: ${data}\n\n`).join('')}`,
      )
    }
    const inTime = await read(liveStream(app, actor, organization, '1001', stop.signal), 501)
    expect(inTime).not.toContain('missed')
    expect([...inTime.matchAll(/^id: /gm)]).toHaveLength(500)
    stop.abort()
  })

  test('a screen that was made while the events store is away hears of it', async () => {
    const stop = new AbortController()
    const answer = liveStream(parts({ engineUp: () => false }), actor, organization, '', stop.signal)
    expect(await read(answer, 2)).toContain('{"kind":"engine","up":false}')
    stop.abort()
  })

  test('a person has at most 10 streams; another person and one that follows an ended one are let in', async () => {
    const app = parts({})
    const stops = Array.from({ length: 10 }, () => new AbortController())
    for (const stop of stops) liveStream(app, actor, organization, '', stop.signal)
    const open = (who = actor) => liveStream(app, who, organization, '', AbortSignal.abort())
    expect(() => open()).toThrow('Too many live streams are open.')
    expect(open({ ...actor, person: { ...actor.person, id: 'another' } }).status).toBe(200)
    stops[3]?.abort()
    expect(open().status).toBe(200)
    await liveStream(app, actor, organization, '', new AbortController().signal).body?.cancel()
    expect(open().status).toBe(200)
  })

  test('ends with the request and for a reader that does not read', async () => {
    const app = parts({})
    const stop = new AbortController()
    const answer = liveStream(app, actor, organization, '', stop.signal)
    stop.abort()
    app.live.publish(1, { kind: 'issue', id: '1' })
    expect(await answer.text()).toBe('retry: 1000\n\n')
    const slow = liveStream(app, actor, organization, '', new AbortController().signal)
    for (let i = 0; i < 3000; i++) app.live.publish(1, { kind: 'issue', id: String(i) })
    expect([...(await slow.text()).matchAll(/^id: /gm)].length).toBeLessThan(1100)
  })
})

test('a reader that leaves while a change is looked up ends the stream without an error', async () => {
  const projects = Promise.withResolvers<Project[]>()
  const app = parts({ meta: { projectsOf: () => projects.promise } })
  const answer = liveStream(app, actor, organization, '', new AbortController().signal)
  const unhandled: unknown[] = []
  const record = (error: unknown) => void unhandled.push(error)
  process.on('unhandledRejection', record)
  app.live.publish(1, events('1'))
  await new Promise((resolve) => setImmediate(resolve))
  await answer.body?.cancel()
  projects.resolve([project(1)])
  await new Promise((resolve) => setTimeout(resolve, 5))
  process.off('unhandledRejection', record)
  expect(unhandled).toEqual([])
})

describe('test event', () => {
  const listen = async (status: number, body: string) => {
    const seen: { url: string; body: string; origin: string | undefined }[] = []
    const server = createServer((req, res) => {
      let text = ''
      req
        .on('data', (part) => (text += part))
        .on('end', () => {
          seen.push({ url: req.url ?? '', body: text, origin: req.headers.origin })
          res.writeHead(status).end(body)
        })
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return { seen, port: (server.address() as AddressInfo).port, close: () => server.close() }
  }

  test('goes over HTTP with the active key, as an envelope', async () => {
    const { seen, port, close } = await listen(200, '{}')
    const { id } = await sendTestEvent(
      parts({ config: { host: '0.0.0.0', port } }),
      project(5, { allowedOrigins: ['*.x.test', 'https://shop.test'] }),
    )
    close()
    const [header, item, event] = (seen[0]?.body ?? '').split('\n').map((line) => (line ? JSON.parse(line) : undefined))
    expect(seen[0]?.url).toBe(
      `/api/5/envelope/?sentry_key=${'a'.repeat(32)}&sentry_version=7&sentry_client=mishap.test/1`,
    )
    expect([header.event_id, item.type, event.event_id, event.platform, seen[0]?.origin]).toEqual([
      id,
      'event',
      id,
      'other',
      'https://shop.test',
    ])
  })

  test('says why it was refused', async () => {
    const { port, close } = await listen(429, '{"detail":"The rate limit is reached."}')
    await expect(sendTestEvent(parts({ config: { host: '::', port: 1 } }), project(5))).rejects.toThrow(
      'The listener did not answer.',
    )
    await expect(sendTestEvent(parts({ config: { host: '127.0.0.1', port } }), project(5))).rejects.toThrow(
      'refused: The rate limit is reached.',
    )
    close()
    await expect(
      sendTestEvent(
        parts({ meta: { projects: { keysOf: () => [] } }, config: { host: '127.0.0.1', port } }),
        project(5),
      ),
    ).rejects.toThrow('no active key')
  })
})

test.each([
  ['24.21.0', true],
  ['24.22.0', true],
  ['24.22.1', false],
  ['25.0.0', false],
])('node %s has an advisory: %s', (version, has) => {
  expect(advisoryOf('node', version) !== null).toBe(has)
  expect(advisoryOf('chdb', version)).toBeNull()
})
test.each([
  ['1.2.3', '1.2.3', 0],
  ['v1.10.0', '1.9.9', 1],
  ['1.2', '1.2.1', -1],
])('%s against %s', (a, b, sign) => {
  expect(Math.sign(compareVersions(a, b))).toBe(sign)
})

test('links keep the query and show colons', () => {
  const page = {
    rows: [],
    hits: 7,
    walk: 'stable' as const,
    previous: { cursor: '0:0:1', results: false },
    next: { cursor: '0:2:0', results: true },
  }
  const headers = pageHeaders(
    'https://m.test',
    'http://inner/api/0/x/?query=a%20b&cursor=0:1:0&project=1&project=2',
    page,
  )
  expect(headers.link).toBe(
    '<https://m.test/api/0/x/?query=a+b&project=1&project=2&cursor=0:0:1>; rel="previous"; results="false"; cursor="0:0:1", <https://m.test/api/0/x/?query=a+b&project=1&project=2&cursor=0:2:0>; rel="next"; results="true"; cursor="0:2:0"',
  )
  expect(headers['x-hits']).toBe('7')
  expect(headers['x-walk']).toBe('stable')
})
