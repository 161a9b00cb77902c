import { describe, expect, test } from 'vitest'
import type { Role } from '../store/meta/meta.ts'
import { appForFile } from './app.cases.ts'

// Inbound filters over the API, with real stores.

const { made, call, personAs } = appForFile()
const P = '/projects/acme/web/filters'
type Filter = { id: string; active: boolean | string[]; patterns: string[] | null; dropped: number; revision: number }
const list = async () => (await call('GET', `${P}/`)).json as Filter[]
const put = (id: string, body: object, token?: string) =>
  call('PUT', `${P}/${id}/`, { body, ...(token ? { token } : {}) })

test('nothing is filtered at first', async () => {
  const filters = await list()
  expect(filters.map((filter) => filter.id)).toEqual([
    'browser-extensions',
    'legacy-browsers',
    'localhost',
    'web-crawlers',
    'react-hydration-errors',
    'chunk-load-error',
    'error-messages',
    'releases',
    'ip-addresses',
    'csp-disallowed-sources',
  ])
  expect(filters.every((filter) => filter.active === false && filter.dropped === 0)).toBe(true)
  expect((await made().app.meta.projects.projectSettings(made().project.id))?.filters).toBeUndefined()
})

describe('a change', () => {
  test.each<[string, object, object]>([
    ['localhost', { active: true }, { active: true, patterns: null, subfilters: null }],
    ['localhost', { active: false }, { active: false }],
    ['legacy-browsers', { subfilters: ['ie', 'safari'] }, { active: ['ie', 'safari'] }],
    ['legacy-browsers', { active: false }, { active: false }],
    ['legacy-browsers', { active: true }, { active: expect.arrayContaining(['ie', 'opera_mini']) }],
    [
      'error-messages',
      { patterns: [' *ResizeObserver* ', '', '*ResizeObserver*'] },
      { patterns: ['*ResizeObserver*'] },
    ],
    ['error-messages', { active: false }, { active: false, patterns: [] }],
    ['releases', { patterns: ['web@1.*'] }, { active: true, patterns: ['web@1.*'] }],
    ['ip-addresses', { patterns: ['203.0.113.0/24', '2001:db8::1'] }, { patterns: ['203.0.113.0/24', '2001:db8::1'] }],
    ['csp-disallowed-sources', { patterns: ['*.cdn.test'] }, { active: true, patterns: ['*.cdn.test'] }],
  ])('%s to %j', async (id, body, after) => {
    const answer = await put(id, body)
    expect([answer.status, answer.json]).toMatchObject([200, { id, ...after }])
    expect((await list()).find((item) => item.id === id)).toEqual(answer.json)
  })

  test.each<[string, object, number]>([
    ['no-such-filter', { active: true }, 404],
    ['localhost', {}, 400],
    ['localhost', { patterns: ['x'] }, 400],
    ['legacy-browsers', { subfilters: ['netscape'] }, 400],
    ['error-messages', { active: true }, 400],
    ['error-messages', { patterns: ['**'] }, 400],
    ['csp-disallowed-sources', { patterns: ['*'] }, 400],
    ['error-messages', { patterns: ['x'.repeat(201)] }, 400],
    ['error-messages', { patterns: Array.from({ length: 201 }, (_, i) => `p${i}`) }, 400],
    ['ip-addresses', { patterns: ['300.1.1.1'] }, 400],
    ['localhost', { active: true, revision: 0 }, 409],
  ])('%s to %j is refused with %i', async (id, body, status) => {
    const before = await list()
    expect((await put(id, body)).status).toBe(status)
    expect(await list()).toEqual(before)
  })

  test.each<[Role, number, number]>([
    ['admin', 200, 200],
    ['member', 200, 403],
    ['viewer', 200, 403],
  ])('%s: reads %i, changes %i', async (role, reads, changes) => {
    const { token } = await personAs(role, ['project:admin', 'event:read'])
    expect((await call('GET', `${P}/`, { token })).status).toBe(reads)
    expect((await call('GET', `${P}/localhost/samples/`, { token })).status).toBe(reads)
    expect((await put('localhost', { active: false }, token)).status).toBe(changes)
  })
})

test('what was dropped in a week is counted, and the kept ones are shown', async () => {
  const { app, project } = made()
  const { meta, clock } = app
  const nowMs = clock.now()
  const count = { projectId: project.id, keyId: 1, outcome: 'filtered', itemType: 'event', bytes: 5 } as const
  await meta.ledger.addOutcomes([{ ...count, category: 'error', reason: 'localhost', quantity: 7 }], nowMs)
  await meta.ledger.addOutcomes([{ ...count, category: 'attachment', reason: 'localhost', quantity: 3 }], nowMs)
  await meta.ledger.addOutcomes(
    [{ ...count, category: 'error', reason: 'localhost', quantity: 90 }],
    nowMs - 8 * 86_400_000,
  )
  expect((await list()).map((item) => item.dropped)).toEqual([0, 0, 7, 0, 0, 0, 0, 0, 0, 0])
  const sample = { projectId: project.id, reason: 'localhost', receivedMs: nowMs, title: 'Error: x' } as const
  const batch = await meta.batches.openBatch(
    await meta.batches.cursor('events'),
    (await meta.batches.cursor('events')) + 1,
  )
  const samples = [
    { ...sample, eventId: 'a'.repeat(32), why: 'localhost', payload: '{"level":"error"}' },
    { ...sample, eventId: 'b'.repeat(32), why: '127.0.0.1', payload: '' },
  ]
  await meta.batches.commitBatch(batch, { events: [], attachments: [], outcomes: [], dead: [], samples }, nowMs)
  expect((await call('GET', `${P}/localhost/samples/`)).json).toMatchObject([
    { eventID: 'b'.repeat(32), why: '127.0.0.1', event: null },
    { eventID: 'a'.repeat(32), title: 'Error: x', event: { level: 'error' } },
  ])
  expect((await call('GET', `${P}/releases/samples/`)).json).toEqual([])
})
