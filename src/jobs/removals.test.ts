import { expect, test } from 'vitest'
import { testClock } from '../base/clock.ts'
import { silent } from '../base/observe.ts'
import { retentions } from '../store/events/tables.cases.ts'
import { partitionStart } from '../store/events/tables.ts'
import type { Removal } from '../store/meta/retention/removals.ts'
import { applyOwnRetention } from './own-retention.ts'
import { createRemovals, type RemovalDeps } from './removals.ts'

const asked: Removal = {
  id: 1,
  organizationId: 1,
  projectId: 7,
  issueId: 3,
  kind: 'issue',
  title: 'WEB-3',
  userId: 'ann',
  createdMs: 0,
  endedMs: null,
  stage: 'asked',
  events: 0,
  blobs: 0,
  error: '',
}

/** A removal with stores that only record calls. `failAt` throws once at that step. */
function world(failAt = '') {
  const steps: string[] = []
  const state = {
    removal: { ...asked },
    failAt,
    open: 0,
    held: 0,
    doomed: ['a', 'b'],
    standing: 4,
    counted: 0,
    values: '{}',
  }
  const step = (name: string) => {
    steps.push(`${name}${state.held > 0 ? '' : ' free'}`)
    if (state.failAt === name) {
      state.failAt = ''
      throw new Error(`no ${name}`)
    }
  }
  const deps = {
    clock: testClock(),
    observe: silent,
    meta: {
      retention: {
        requestRemoval: () => state.removal,
        openRemovals: () => (state.removal.endedMs === null ? [state.removal] : []),
        removalById: () => state.removal,
        attachedEventIds: (_project: number, after: string) => (after === '' ? ['e1', 'e2'] : []),
        doomAttachments: (_id: number, _project: number, ids: string[]) => step(`doom ${ids.join()}`),
        removeRows: (_id: number, events: number) => {
          step('rows')
          state.counted = events
          Object.assign(state.removal, { stage: 'blobs' })
        },
        doomedBlobs: () => [...state.doomed],
        forgetDoomed: () => {
          state.doomed = []
        },
        setRemoval: (_id: number, change: Partial<Removal>) => Object.assign(state.removal, change),
      },
      batches: {
        openBatches: () => Array.from({ length: state.open }, () => ({})),
        cursor: () => 10,
      },
      issues: {
        hashesOf: () => new Map([[3, ['aa']]]),
        issueById: () => undefined,
      },
      values: {
        getValue: () => state.values,
        setValue: (_name: string, value: string) => {
          state.values = value
        },
      },
      projects: {
        projectById: () => undefined,
      },
    },
    events: {
      eventsAmong: async () => ['e2'],
      // All remaining events came before position 10.
      eventsFrom: async (_project: number, _hashes: string[], jpos: number) => (jpos < 10 ? state.standing : 0),
      remove: async () => {
        step('events')
        state.standing = 0
      },
      rewrite: async () => step('rewrite'),
      rowsOf: async () => 0,
    },
    blobs: { delete: async (key: string) => step(`blob ${key}`), list: async () => [] },
    pause: async () => {
      state.held++
      return () => void state.held--
    },
    removed: async () => step('told'),
  } as unknown as RemovalDeps
  return { deps, steps, state }
}

const whole = ['doom e2', 'events', 'rows', 'told free', 'blob a free', 'blob b free', 'rewrite free']

test('files are found, then events go, then rows, while nothing is committed; the rest beside ingest', async () => {
  const { deps, steps, state } = world()
  expect(await createRemovals(deps).run()).toEqual({ done: 1, failed: 0 })
  expect(steps).toEqual(whole)
  expect([state.removal.stage, state.removal.blobs, state.held]).toEqual(['done', 2, 0])
  expect([state.counted, state.values]).toEqual([4, '{}'])
})

test.each(['events', 'rows', 'told'])(
  'what goes is counted once, also when it ends at %s and begins again',
  async (at) => {
    const { deps, state } = world(at)
    expect(await createRemovals(deps).run()).toMatchObject({ failed: 1 })
    await createRemovals(deps).run()
    expect([state.removal.stage, state.counted]).toEqual(['done', 4])
  },
)

test.each(['events', 'rows', 'told', 'blob b', 'rewrite'])(
  'a failure at %s lets go, says so, and is gone on with',
  async (failAt) => {
    const { deps, steps, state } = world(failAt)
    const removals = createRemovals(deps)
    expect(await removals.run()).toEqual({ done: 0, failed: 1 })
    expect([state.held, state.removal.error]).toEqual([0, `Error: no ${failAt}`])
    expect(await removals.run()).toEqual({ done: 1, failed: 0 })
    expect([state.removal.stage, state.removal.error]).toEqual(['done', ''])
    expect(new Set(steps)).toEqual(new Set(whole))
    expect(await removals.run()).toEqual({ done: 0, failed: 0 })
  },
)

/** An organization with one project. The stores only record calls. */
function organizationWorld(failAt = '') {
  const steps: string[] = []
  const base = { ...asked, issueId: null, title: 'x' }
  const rows: Removal[] = [
    { ...base, id: 1, kind: 'organization', projectId: 0 },
    { ...base, id: 2, kind: 'project', projectId: 7 },
  ]
  const state = { failAt, projects: 1, organization: true }
  const step = (name: string) => {
    steps.push(name)
    if (state.failAt !== name) return
    state.failAt = ''
    throw new Error(`no ${name}`)
  }
  const deps = {
    clock: testClock(),
    observe: silent,
    meta: {
      retention: {
        requestOrganizationRemoval: () => rows[0],
        openRemovals: () => rows.filter((row) => row.endedMs === null),
        removalById: (id: number) => rows.find((row) => row.id === id),
        removeRows: () => {
          step('project rows')
          state.projects = 0
          Object.assign(rows[1] ?? {}, { stage: 'blobs' })
        },
        doomedBlobs: () => [],
        setRemoval: (id: number, change: Partial<Removal>) => Object.assign(rows[id - 1] ?? {}, change),
        requestProjectRemovals: () => state.projects,
        removeOrganization: () => {
          step('organization')
          state.organization = false
          Object.assign(rows[0] ?? {}, { stage: 'proof' })
        },
        organizationLeft: () => (state.organization ? ['member'] : []),
      },
      batches: {
        cursor: () => 10,
        openBatches: () => [],
      },
      values: {
        getValue: () => undefined,
        setValue: () => undefined,
      },
      projects: {
        projectById: () => undefined,
      },
    },
    events: {
      eventsFrom: async () => 4,
      remove: async () => undefined,
      rewrite: async () => undefined,
      rowsOf: async () => 0,
    },
    blobs: { delete: async () => undefined, list: async () => [] },
    pause: async () => () => undefined,
    removed: async ({ kind }: Removal) => step(`told of ${kind}`),
  } as unknown as RemovalDeps
  return { deps, steps, rows, state }
}

const wholeOrganization = ['project rows', 'told of project', 'organization', 'told of organization']

test('an organization goes after its projects, though it was asked for first', async () => {
  const { deps, steps, rows } = organizationWorld()
  expect(await createRemovals(deps).run()).toEqual({ done: 2, failed: 0 })
  expect([steps, rows.map((row) => row.stage)]).toEqual([wholeOrganization, ['done', 'done']])
})

test.each(wholeOrganization)('an organization: a failure at %s is gone on with', async (failAt) => {
  const { deps, steps, rows } = organizationWorld(failAt)
  const removals = createRemovals(deps)
  expect((await removals.run())['failed']).toBe(1)
  expect(rows.some((row) => row.error === `Error: no ${failAt}`)).toBe(true)
  await removals.run()
  expect([new Set(steps), rows.map((row) => [row.stage, row.error])]).toEqual([
    new Set(wholeOrganization),
    [
      ['done', ''],
      ['done', ''],
    ],
  ])
})

test('an organization waits for a project that was made in between, and names what is left', async () => {
  const { deps, rows, state } = organizationWorld()
  Object.assign(deps.meta.retention, { requestProjectRemovals: () => 1 })
  expect(await createRemovals(deps).run()).toEqual({ done: 1, failed: 0 })
  expect(rows[0]?.stage).toBe('asked')
  Object.assign(deps.meta.retention, { requestProjectRemovals: () => 0, organizationLeft: () => ['member'] })
  expect(await createRemovals(deps).run()).toEqual({ done: 0, failed: 1 })
  expect([rows[0]?.error, rows[0]?.endedMs, state.organization]).toEqual(['Error: still there: member', null, false])
})

test('a batch that waits for its recovery is waited for', async () => {
  const { deps, steps, state } = world()
  state.open = 1
  expect(await createRemovals(deps).run()).toEqual({ done: 0, failed: 0 })
  expect([steps, state.removal.stage, state.held]).toEqual([[], 'asked', 0])
})

test('what is left is named, and the removal stays open', async () => {
  const { deps, state } = world()
  Object.assign(deps.meta.issues, { issueById: () => ({}) })
  expect(await createRemovals(deps).run()).toEqual({ done: 0, failed: 1 })
  expect([state.removal.error, state.removal.endedMs]).toEqual(['Error: still there: the issue', null])
})

test.each([
  ['2026-11-21T15:00:00Z', '2026-11-16T00:00:00.000Z'],
  ['2026-11-16T00:00:00Z', '2026-11-16T00:00:00.000Z'],
  ['2026-11-15T23:59:59Z', '2026-11-09T00:00:00.000Z'],
])('the Monday before %s is %s', (at, monday) => {
  expect(new Date(partitionStart('events', Date.parse(at))).toISOString()).toBe(monday)
})

test('only a shorter retention than the installation’s is kept, for the organization’s own projects', async () => {
  const calls: unknown[] = []
  const removed = await applyOwnRetention({
    nowMs: Date.parse('2026-11-21T15:00:00Z'),
    retention: retentions(),
    meta: {
      organizations: {
        shorterRetentions: async () => [
          { organizationId: 1, days: 30, projectIds: [5, 6] },
          { organizationId: 2, days: 90, projectIds: [7] },
          { organizationId: 3, days: 5, projectIds: [] },
        ],
        dropExpired: async (...given) => {
          calls.push(given)
          return ['attachments/5/x']
        },
      },
      values: { getValue: async () => undefined, setValue: async () => undefined },
    },
    events: {
      removeBefore: async (table, ...given) => (table === 'events' ? calls.push(given) : 0),
    },
    blobs: { delete: async (key) => void calls.push(key) },
  })
  const monday = Date.parse('2026-10-19T00:00:00Z')
  expect([removed, calls]).toEqual([1, [[[5, 6], monday], [1, [5, 6], monday], 'attachments/5/x']])
})

test('spans leave by days: earlier than errors where they are kept for longer, never later', async () => {
  const calls: unknown[] = []
  const noted: string[] = []
  await applyOwnRetention({
    nowMs: Date.parse('2026-11-21T15:00:00Z'),
    retention: retentions(),
    meta: {
      organizations: {
        shorterRetentions: async () => [
          { organizationId: 1, days: 7, projectIds: [5] },
          { organizationId: 2, days: 60, projectIds: [6] },
        ],
        dropExpired: async () => [],
      },
      values: { getValue: async () => undefined, setValue: async (name) => void noted.push(name) },
    },
    events: {
      removeBefore: async (table, ...given) => (table === 'spans' ? calls.push(given) : 0),
    },
    blobs: { delete: async () => undefined },
  })
  expect([calls, noted]).toEqual([[[[5], Date.parse('2026-11-14T00:00:00Z')]], ['spans-gone']])
})
