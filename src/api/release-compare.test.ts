import { beforeAll, describe, expect, test } from 'vitest'
import type { RestReleaseCompare } from '../contract/release-compare.ts'
import type { SessionRow } from '../store/events/session-store.ts'
import { encodeSessionRow } from '../store/events/sessions/encode.ts'
import { appForFile } from './app.cases.ts'
import { hex } from './seed.cases.ts'
import { sessionRow } from './sessions.cases.ts'

// The comparison of two releases over REST, with real stores.

const { made, call, personAs } = appForFile()
const O = '/organizations/acme'
const nowS = Math.floor(Date.now() / 1000)

/** Events of one issue in one release, each of another user unless `user` is set. */
function events(type: string, release: string, count: number, from: number, user?: string) {
  return Array.from({ length: count }, (_, at) => ({
    event_id: hex(from + at),
    platform: 'node',
    timestamp: nowS - 600,
    release,
    environment: 'production',
    user: { id: user ?? `${type} ${release} ${at}` },
    exception: { values: [{ type, value: 'broke', stacktrace: { frames: [{ filename: `${type}.js`, lineno: 1 }] } }] },
  }))
}

const sessions = (place: number, changes: Partial<SessionRow>): SessionRow =>
  sessionRow({ projectId: made().project.id, receivedMs: nowS * 1000, place }, { release: 'shop@1.0.0', ...changes })

const [before, after] = ['shop@1.0.0', 'shop@2.0.0']

beforeAll(async () => {
  await made().store([
    ...events('Gone', before, 30, 1000),
    ...events('Fewer', before, 60, 1100),
    ...events('Fewer', after, 5, 1200),
    ...events('More', before, 5, 1300),
    ...events('More', after, 60, 1400),
    ...events('Same', before, 10, 1500),
    ...events('Same', after, 12, 1600),
    ...events('New', after, 30, 1700),
    ...events('OneUser', after, 30, 1800, 'jo'),
    ...events('Alone', 'other@1.0.0', 3, 1900),
  ])
  const rows = [
    sessions(1, { quantity: 4000 }),
    sessions(2, { quantity: 20, status: 'crashed' }),
    sessions(3, { quantity: 3800, release: after }),
    sessions(4, { quantity: 200, release: after, status: 'crashed' }),
  ]
  await made().app.events.insert('sessions', Buffer.from(rows.map(encodeSessionRow).join('')), 'sessions:test')
}, 30_000)

const path = (a: string, b: string, more = '') =>
  `${O}/releases/compare/?a=${encodeURIComponent(a)}&b=${encodeURIComponent(b)}${more}`
const compare = async (a: string, b: string, more = '') =>
  (await call('GET', path(a, b, more))).json as RestReleaseCompare
const types = (list: RestReleaseCompare['new']) => list.rows.map(({ issue }) => issue.metadata.type)

describe('two releases', () => {
  test('have new, gone, more and less frequent issues, per session', async () => {
    const found = await compare(before, after)
    expect(types(found.new)).toEqual(['New', 'OneUser'])
    expect(types(found.gone)).toEqual(['Gone'])
    expect(types(found.more)).toEqual(['More'])
    expect(types(found.fewer)).toEqual(['Fewer'])
    expect([found.same, found.truncated]).toEqual([1, false])
    expect(found.new).toMatchObject({ total: 2, sure: 1 })
    const [more] = found.more.rows
    expect(more).toMatchObject({
      basis: 'sessions',
      a: { events: 5, users: 5, rate: { rate: 5 / 4020 } },
      b: { events: 60, users: 60, rate: { rate: 60 / 4000 } },
      verdict: 'more',
      issue: { project: { slug: 'web' }, status: 'unresolved' },
    })
    expect(more?.difference?.low).toBeGreaterThan(0)
    expect(found.new.rows.map(({ verdict }) => verdict)).toEqual(['more', 'same'])
  })

  test('have their crash-free sessions and adoption beside it', async () => {
    expect(await compare(before, after)).toMatchObject({
      a: { version: before, shortVersion: '1.0.0', events: 105, health: { sessions: { all: 4020, crashed: 20 } } },
      b: { version: after, events: 137, health: { adoption: { share: 4000 / 8020, stage: 'adopted' } } },
      change: { previous: before, verdict: 'worse', own: { sample: 4000 } },
    })
  })

  test('swap new and gone, more and fewer, if they are swapped', async () => {
    const found = await compare(after, before)
    expect([types(found.new), types(found.gone)]).toEqual([['Gone'], ['New', 'OneUser']])
    expect([types(found.more), types(found.fewer)]).toEqual([['Fewer'], ['More']])
    expect(found.change).toMatchObject({ previous: after, verdict: 'better' })
  })

  test('are compared per event if one of them has no sessions', async () => {
    const found = await compare('other@1.0.0', after)
    expect(found.gone.rows).toMatchObject([{ basis: 'events', a: { rate: { rate: 1 } }, b: { rate: { rate: 0 } } }])
    expect([found.a.health, found.change]).toEqual([null, null])
  })

  test('are compared within environments', async () => {
    const found = await compare(before, after, '&environment=staging')
    expect([found.new.total, found.gone.total, found.same, found.a.events, found.a.health]).toEqual([0, 0, 0, 0, null])
  })

  test.each([
    [`${O}/releases/compare/?a=${before}`, 400],
    [path(before, 'shop@9.9.9'), 404],
    [path('shop@9.9.9', after), 404],
    ['/organizations/other/releases/compare/?a=x&b=y', 404],
  ])('GET %s answers %d', async (address, status) => {
    expect((await call('GET', address)).status).toBe(status)
  })

  test('need a token that reads events', async () => {
    const { token } = await personAs('admin', ['project:releases'], 'compare-build')
    expect((await call('GET', path(before, after), { token })).status).toBe(403)
  })
})
