import { expect, test } from 'vitest'
import { testClock } from '../base/clock.ts'
import type { OutcomeRow, Project } from '../store/meta/meta.ts'
import type { DownsampleStep } from '../store/meta/retention/downsampling.ts'
import type { ReprocessingStep } from '../store/meta/retention/reprocessing.ts'
import { type VerifyDeps, verify } from './verify.ts'

const dayMs = 86_400_000
const clock = testClock()
const retainedSinceMs = clock.now() - 90 * dayMs
const recentMs = clock.now() - dayMs
const oldMs = clock.now() - 100 * dayMs
const ancientMs = clock.now() - 450 * dayMs

const stored = (quantity: number): OutcomeRow => ({
  hourMs: recentMs,
  projectId: 1,
  keyId: 1,
  category: 'error',
  outcome: 'stored',
  reason: 'ok',
  itemType: 'event',
  quantity,
  bytes: 1,
})
type Found = Awaited<ReturnType<VerifyDeps['events']['check']>>
type World = {
  found: Found
  counters: Awaited<ReturnType<VerifyDeps['meta']['snapshots']['counters']>>
  outcomes: OutcomeRow[]
  faults: string[]
  blobs: string[]
  /** Blobs that can be read and that the list lacks. */
  unlisted: string[]
  named: string[]
  cursor: number
  open: number
  broken: boolean
  removed: number
  retainedSince: [number, number][]
  spans: Awaited<ReturnType<VerifyDeps['events']['tally']>>
  spansGone: boolean
  projects: number[]
  unknown: string[]
  told: [number, number][]
  strays: string[]
  steps: DownsampleStep[]
  rewrites: ReprocessingStep[]
}

/** A transaction with two child spans. */
function addSpans(world: World): void {
  world.spans = [{ projectId: 1, counts: { transaction: 1, span: 2 }, twice: 0, lastJpos: 98 }]
  world.outcomes.push(
    { ...stored(1), category: 'transaction', itemType: 'transaction' },
    { ...stored(2), category: 'span', itemType: 'transaction' },
  )
}

/** A consistent world: two groups of one issue with five events. */
const whole = (): World => ({
  found: {
    groups: [
      { projectId: 1, groupHash: 'a', rows: 3, thinned: 0, oldestReceivedMs: recentMs },
      { projectId: 1, groupHash: 'b', rows: 2, thinned: 0, oldestReceivedMs: recentMs },
    ],
    twice: 0,
    lastJpos: 99,
    rollups: {
      issue_hour: 0,
      issue_day: 0,
      issue_week: 0,
      hour_issue: 0,
      project_hour: 0,
      project_day: 0,
      project_week: 0,
    },
  },
  counters: [{ issueId: 7, projectId: 1, count: 5, firstSeenMs: recentMs }],
  outcomes: [
    stored(5),
    { ...stored(9), category: 'attachment', itemType: 'attachment' },
    { ...stored(9), outcome: 'received' },
  ],
  faults: [],
  blobs: ['attachments/1'],
  unlisted: [],
  named: ['attachments/1'],
  cursor: 100,
  open: 0,
  broken: false,
  removed: 0,
  retainedSince: [],
  spans: [],
  spansGone: false,
  projects: [1],
  unknown: [],
  told: [],
  strays: [],
  steps: [],
  rewrites: [],
})

const asked: Parameters<VerifyDeps['events']['check']>[] = []
const look = (world: World) =>
  verify({
    clock,
    retainedSinceMs,
    durable: 200,
    events: {
      check: async (...open) => {
        asked.push(open)
        return world.found
      },
      tally: async (table) => (table === 'spans' ? world.spans : []),
    },
    blobs: {
      list: async () => world.blobs,
      reader: async (key) =>
        [...world.blobs, ...world.unlisted].includes(key)
          ? { bytes: 1, read: async () => Buffer.alloc(1), close: async () => undefined }
          : undefined,
    },
    journal: {
      read: (from) => {
        if (world.broken) throw new Error('a broken record')
        return { records: [], next: from }
      },
    },
    meta: {
      snapshots: {
        faults: async () => world.faults,
        counters: async () => world.counters,
        blobKeys: async () => world.named,
        tally: async () => ({ organizations: 1, projects: 1, issues: 1, attachments: 1, deadItems: 0 }),
      },
      batches: {
        cursor: async () => world.cursor,
        openBatches: async () => Array.from({ length: world.open }, () => ({ seq: 1, from: 0, to: 200 })),
      },
      issues: {
        issueIdsOf: async (hashes) =>
          new Map(
            hashes.filter((hash) => !world.unknown.includes(hash.groupHash)).map((hash) => [`1:${hash.groupHash}`, 7]),
          ),
      },
      ledger: {
        outcomesSince: async () => world.outcomes,
      },
      organizations: {
        retainedSince: async () => new Map(world.retainedSince),
      },
      projects: {
        projectById: async (id) => (world.projects.includes(id) ? ({} as Project) : undefined),
      },
      values: {
        getValue: async () => (world.spansGone ? '1' : undefined),
      },
      retention: {
        removedEvents: async () => new Map([[1, world.removed]]),
        downsampleSteps: async () => world.steps,
        reprocessingSteps: async () => world.rewrites,
        traceSteps: async () => [],
        downsampledOf: async () => new Map(world.told),
      },
      releases: {
        orphanReleases: async () => ({ looked: 3, orphans: world.strays }),
      },
    },
  })
const wrongOf = async (world: World) =>
  Object.fromEntries((await look(world)).filter((item) => item.wrong.length).map((item) => [item.name, item.wrong]))

test('a file that a list of the bucket lacks and that can be read is not missing', async () => {
  const world = whole()
  world.unlisted = world.blobs.splice(0)
  expect(await wrongOf(world)).toEqual({})
})

test('nothing is wrong with what is whole', async () => {
  expect(await wrongOf(whole())).toEqual({})
  const traced = whole()
  addSpans(traced)
  expect(await wrongOf(traced)).toEqual({})
  expect((await look(whole())).map((item) => item.name)).toEqual([
    'database',
    'issues',
    'counters',
    'thinned',
    'ledger',
    'spans',
    'sessions',
    'logs',
    'once',
    'rollups',
    'cursor',
    'releases',
    'blobs',
    'journal',
  ])
})

test.each<[string, (world: World) => void, Record<string, string[]>]>([
  [
    'a span that the ledger does not know, one that stands twice, one beyond the cursor',
    (world) => {
      addSpans(world)
      world.spans = [{ projectId: 1, counts: { transaction: 1, span: 3 }, twice: 1, lastJpos: 100 }]
    },
    {
      spans: ['project 1: the ledger says 2 stored of span, but 3 exist'],
      once: ['1 rows too many'],
      cursor: ['a row is at 100, the cursor at 100'],
    },
  ],
  [
    'a transaction that is not there',
    (world) => {
      addSpans(world)
      world.spans = [{ projectId: 1, counts: { transaction: 0, span: 2 }, twice: 0, lastJpos: 98 }]
    },
    { spans: ['project 1: the ledger says 1 stored of transaction, but 0 exist'] },
  ],
  [
    'spans that left by their age',
    (world) => {
      addSpans(world)
      world.spans = []
      world.spansGone = true
    },
    {},
  ],
  [
    'more spans than were ever counted',
    (world) => {
      addSpans(world)
      world.spans = [{ projectId: 1, counts: { transaction: 1, span: 9 }, twice: 0, lastJpos: 98 }]
      world.spansGone = true
    },
    { spans: ['project 1: the ledger says 2 stored of span, but 9 exist'] },
  ],
  [
    'spans of a project that is gone',
    (world) => {
      world.spans.push({ projectId: 2, counts: { transaction: 1, span: 0 }, twice: 0, lastJpos: 3 })
    },
    { spans: ['project 2: the ledger says 0 stored of transaction, but 1 exist'] },
  ],
  [
    'a ledger that an earlier version removed after 13 months, where rows are kept longer',
    (world) => {
      world.found.groups.push({ projectId: 1, groupHash: 'c', rows: 4, thinned: 0, oldestReceivedMs: ancientMs })
      world.counters = [{ issueId: 7, projectId: 1, count: 9, firstSeenMs: ancientMs }]
    },
    {},
  ],
  [
    'rows that the whole ledger does not know, however old',
    (world) => {
      world.found.groups.push({ projectId: 1, groupHash: 'c', rows: 4, thinned: 0, oldestReceivedMs: ancientMs })
      world.counters = [{ issueId: 7, projectId: 1, count: 9, firstSeenMs: ancientMs }]
      world.outcomes.push({ ...stored(3), hourMs: ancientMs - 60_000 })
    },
    { ledger: ['project 1: the ledger says 8 stored, but 9 exist'] },
  ],
  ['a broken file', (world) => world.faults.push('page 3 is lost'), { database: ['page 3 is lost'] }],
  [
    'events without an issue',
    (world) => world.unknown.push('b'),
    { issues: ['2 events of group b in project 1'], counters: ['issue 7 counts 5, but 3 are stored'] },
  ],
  [
    'a counter that is too small',
    (world) => Object.assign(world.counters[0] ?? {}, { count: 4 }),
    { counters: ['issue 7 counts 4, but 5 are stored'] },
  ],
  [
    'a counter that is too large',
    (world) => Object.assign(world.counters[0] ?? {}, { count: 6 }),
    { counters: ['issue 7 counts 6, but 5 are stored'] },
  ],
  [
    'a ledger that differs',
    (world) => Object.assign(world.outcomes[0] ?? {}, { quantity: 4 }),
    { ledger: ['project 1: the ledger says 4 stored, but 5 exist'] },
  ],
  ['a row twice', (world) => Object.assign(world.found, { twice: 1 }), { once: ['1 rows too many'] }],
  [
    'a rollup that differs',
    (world) => Object.assign(world.found.rollups, { hour_issue: 2 }),
    { rollups: ['hour_issue: 2 groups differ'] },
  ],
  [
    'a row beyond the cursor',
    (world) => Object.assign(world.found, { lastJpos: 100 }),
    { cursor: ['a row is at 100, the cursor at 100'] },
  ],
  ['a deploy of no release', (world) => world.strays.push('deploy of a@1'), { releases: ['deploy of a@1'] }],
  ['an attachment without bytes', (world) => world.blobs.pop(), { blobs: ['attachments/1 is missing'] }],
  [
    'a broken journal',
    (world) => Object.assign(world, { broken: true }),
    { journal: ['after position 100: Error: a broken record'] },
  ],
])('%s is named', async (_says, change, expected) => {
  const world = whole()
  change(world)
  expect(await wrongOf(world)).toEqual(expected)
})

test('what the retention has dropped is not missed, what is too much still is', async () => {
  const world = whole()
  Object.assign(world.counters[0] ?? {}, { count: 50, firstSeenMs: oldMs })
  Object.assign(world.found.groups[0] ?? {}, { oldestReceivedMs: oldMs })
  world.outcomes = [stored(50)]
  expect(await wrongOf(world)).toEqual({})
  Object.assign(world.counters[0] ?? {}, { count: 4 })
  expect(Object.keys(await wrongOf(world))).toEqual(['counters'])
})

test('what people removed is taken from the ledger, not more', async () => {
  const world = whole()
  world.outcomes = [stored(12)]
  world.removed = 7
  expect(await wrongOf(world)).toEqual({})
  world.removed = 6
  expect(await wrongOf(world)).toEqual({ ledger: ['project 1: the ledger says 12 stored and 6 removed, but 5 exist'] })
})

test('an organization’s own retention is no loss either, but only before its day', async () => {
  const world = whole()
  Object.assign(world.counters[0] ?? {}, { count: 9, firstSeenMs: recentMs - dayMs })
  world.outcomes = [stored(9)]
  world.retainedSince = [[1, recentMs]]
  expect(await wrongOf(world)).toEqual({})
  world.retainedSince = [[1, recentMs - 2 * dayMs]]
  expect(Object.keys(await wrongOf(world))).toEqual(['counters'])
})

test('what was thinned is counted on, and the issue says how many it was', async () => {
  const world = whole()
  Object.assign(world.counters[0] ?? {}, { count: 15 })
  Object.assign(world.found.groups[0] ?? {}, { thinned: 10 })
  world.outcomes = [stored(15)]
  world.told = [[7, 10]]
  expect(await wrongOf(world)).toEqual({})
  world.told = [[7, 9]]
  expect(await wrongOf(world)).toEqual({ thinned: ['issue 7 says that 9 were downsampled, 10 were'] })
  Object.assign(world.found.groups[0] ?? {}, { thinned: 9 })
  expect(await wrongOf(world)).toEqual({
    counters: ['issue 7 counts 15, but 5 are stored and 9 downsampled'],
    ledger: ['project 1: the ledger says 15 stored, but 14 exist'],
  })
  // The retention also removed the downsampled events.
  Object.assign(world.counters[0] ?? {}, { firstSeenMs: oldMs })
  Object.assign(world.found.groups[0] ?? {}, { oldestReceivedMs: oldMs })
  world.told = [[7, 30]]
  expect(await wrongOf(world)).toEqual({})
})

test.each<[DownsampleStep['stage'], boolean | undefined]>([
  ['planned', false],
  ['counted', true],
  ['cut', undefined],
])('a step of thinning that is %s is told to the events store', async (stage, counted) => {
  const world = whole()
  const cut = { week: '2026-11-16', before: 9, projectId: 1, hashes: ['a'], keep: [] }
  world.steps = [{ id: 4, runId: 1, cut, rowBytes: 1, stage, madeMs: 0 }]
  await look(world)
  expect(asked.at(-1)?.[0]).toEqual(counted === undefined ? undefined : { step: 4, counted, cut })
})

test.each<[ReprocessingStep['stage'], boolean | undefined]>([
  ['planned', false],
  ['counted', true],
  ['cut', undefined],
])('rows that are being written again and are %s are told to the events store', async (stage, counted) => {
  const world = whole()
  const rewrite = {
    projectId: 1,
    week: '2026-11-16',
    gen: 0,
    positions: [9],
    from: ['a'],
    to: ['b'],
    hours: [0],
    token: 'regroup:1',
  }
  world.rewrites = [{ id: 4, runId: 1, rewrite, stale: [], stage, madeMs: 0 }]
  await look(world)
  expect(asked.at(-1)).toEqual([undefined, counted === undefined ? undefined : { counted, rewrite }, []])
})

test('feedback is stored, but not as an event', async () => {
  const world = whole()
  const feedback = { ...stored(3), category: 'feedback' } as const
  world.outcomes.push({ ...feedback, itemType: 'user_report' }, { ...feedback, itemType: 'feedback' })
  expect(await wrongOf(world)).toEqual({})
})

test('rows of a batch that is not committed may stand beyond the cursor', async () => {
  const world = whole()
  world.found.lastJpos = 150
  world.open = 1
  expect(await wrongOf(world)).toEqual({})
})

test('many wrong places are counted, not listed', async () => {
  const world = whole()
  world.named = Array.from({ length: 25 }, (_, at) => `attachments/x${at}`)
  const { blobs = [] } = await wrongOf(world)
  expect([blobs.length, blobs.at(-1)]).toEqual([11, 'and 15 more'])
})
