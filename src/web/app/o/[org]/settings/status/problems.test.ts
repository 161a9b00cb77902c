import { expect, test } from 'vitest'
import type { RestIngestHealth, RestJob, RestStatus } from '../../../../../../contract/status.ts'
import { problemsOf } from './problems.ts'

const well: RestStatus = {
  version: '1',
  startedAt: '2026-01-01T00:00:00.000Z',
  engine: { up: true, version: '1', kind: 'embedded', host: null, away: null },
  blobStore: { place: 'files', up: true, reason: null },
  journal: {
    lagBytes: 0,
    waitingRecords: 0,
    oldestWaitingMs: 15_000,
    eventsWaitingMs: 0,
    boundBytes: 1,
    waitsFor: null,
  },
  ledger: {
    received: 1,
    stored: 1,
    filtered: 0,
    rateLimited: 0,
    invalid: 0,
    duplicate: 0,
    waiting: 0,
    dead: 0,
    lost: 0,
    clientDiscards: 0,
    thinned: 0,
    own: 0,
    rows: [],
  },
  disk: {
    dataBytes: 1,
    freeBytes: 50,
    totalBytes: 1000,
    tables: [],
    budget: {
      budgetBytes: 10,
      storedBytes: 10,
      eventBytes: 0,
      spanBytes: 0,
      logBytes: 0,
      metricBytes: 0,
      blobBytes: 0,
      databaseBytes: 0,
      copyBytes: 0,
    },
    thinned: [],
  },
  deadItems: [],
  versions: [{ name: 'node', version: '24', advisory: null }],
}
const health: RestIngestHealth = {
  state: 'ok',
  eventsPerMinute: 5,
  oldestWaitingMs: 0,
  rejectedRequests: 0,
  rejectedProject: null,
}
const job: RestJob = {
  name: 'retention',
  everyMs: 1,
  running: false,
  lastRun: null,
  durationMs: 0,
  result: {},
  error: '',
  failures: 0,
  nextRun: null,
}

test('an installation at its limits, but within them, is well', () => {
  expect(problemsOf(well, [job], health)).toEqual([])
  expect(problemsOf(well, undefined, undefined)).toEqual([])
})

const since = '2026-01-01T00:00:00.000Z'
const { journal, disk, ledger } = well
const dead = { jpos: '1', projectId: '1', receivedAt: since, reason: 'failed', bytes: 1 }

test.each<[string, Partial<RestStatus>, unknown]>([
  ['the events store', { engine: { ...well.engine, up: false } }, { id: 'down' }],
  [
    'a ClickHouse server',
    { engine: { up: false, version: null, kind: 'server', host: 'ch:8123', away: 'refused' } },
    { id: 'serverDown', host: 'ch:8123', away: 'refused' },
  ],
  [
    'a store that blocks; the age of the backlog is not a second problem',
    { journal: { ...journal, oldestWaitingMs: 99_000, waitsFor: { store: 'files', since } } },
    { id: 'waiting', store: 'files', sinceMs: Date.parse(since) },
  ],
  ['a backlog', { journal: { ...journal, oldestWaitingMs: 15_001 } }, { id: 'behind', ms: 15_001 }],
  ['a full disk', { disk: { ...disk, freeBytes: 49 } }, { id: 'disk', freeBytes: 49 }],
  [
    'the disk budget',
    { disk: { ...disk, budget: disk.budget && { ...disk.budget, storedBytes: 11 } } },
    { id: 'budget' },
  ],
  ['dead letters', { deadItems: [dead, dead] }, { id: 'dead', count: 2 }],
  ['a lost item', { ledger: { ...ledger, lost: 1 } }, { id: 'lost', count: 1 }],
  ['an item too many', { ledger: { ...ledger, lost: -3 } }, { id: 'lost', count: 3 }],
  [
    'an advisory',
    { versions: [{ name: 'next', version: '1', advisory: 'RCE' }] },
    { id: 'advisory', name: 'next', version: '1' },
  ],
])('%s', (_name, change, problem) => {
  expect(problemsOf({ ...well, ...change }, [job], health)).toEqual([problem])
})

test('jobs and rejected requests; the most severe comes first', () => {
  const failing = [job, { ...job, name: 'a', error: 'x' }, { ...job, name: 'b', error: 'y' }]
  const status = { ...well, engine: { ...well.engine, up: false } }
  expect(problemsOf(status, failing, { ...health, rejectedRequests: 7 })).toEqual([
    { id: 'down' },
    { id: 'rejecting', count: 7 },
    { id: 'jobs', names: ['a', 'b'] },
  ])
})
