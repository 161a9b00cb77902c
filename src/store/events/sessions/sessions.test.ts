import type { ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { systemClock } from '../../../base/clock.ts'
import { type Connection, connect } from '../connection.ts'
import { startTestEngine } from '../engine.cases.ts'
import { embeddedKind } from '../kind.ts'
import type { HealthCounts, SessionRow, SessionScope, SessionStore } from '../session-store.ts'
import { encodeSessionRow, finalOf, latestOf, sessionColumns } from './encode.ts'
import { sessionTables } from './schema.ts'
import { createSessions } from './sessions.ts'

const folder = mkdtempSync(join(tmpdir(), 'mishap-sessions-'))
const socketPath = join(folder, 'engine.sock')
const state: { engine?: ChildProcess; connection?: Connection } = {}

const hour = 3_600_000
const day = 24 * hour
/** Monday 2026-11-16 10:00 UTC. */
const monday = Date.UTC(2026, 10, 16, 10)

function connection(): Connection {
  if (!state.connection) throw new Error('not started')
  return state.connection
}
const store = (): SessionStore => createSessions(connection(), 'mishap')

beforeAll(async () => {
  state.engine = await startTestEngine(join(folder, 'data'), socketPath)
  state.connection = connect({ url: 'http://localhost', socketPath, database: 'mishap', clock: systemClock })
  await connection().command('CREATE DATABASE IF NOT EXISTS mishap ENGINE = Atomic')
  for (const statement of sessionTables('mishap', embeddedKind)) await connection().command(statement)
}, 60_000)

afterAll(async () => {
  await state.connection?.close()
  state.engine?.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
})

const counter = { places: 0 }
const idOf = (n: number) => n.toString(16).padStart(16, '0')

/** Makes an update with its own place. */
function update(projectId: number, sid: number, changes: Partial<SessionRow> = {}): SessionRow {
  const place = counter.places++
  return {
    projectId,
    sid: idOf(sid),
    startedMs: monday,
    release: 'web@1',
    environment: 'production',
    seq: 0,
    status: 'ok',
    hasErrors: false,
    isInit: false,
    quantity: 1,
    userHash: '',
    durationS: -1,
    receivedMs: monday + 1000,
    jpos: 1000 + place,
    place,
    entries: 1,
    ...changes,
  }
}

const insert = (...rows: SessionRow[]) =>
  connection().insert(
    'sessions',
    sessionColumns,
    Buffer.from(rows.map(encodeSessionRow).join('')),
    `sessions:${counter.places++}`,
  )

const scopeOf = (projectId: number, changes: Partial<SessionScope> = {}): SessionScope => ({
  projectIds: [projectId],
  environments: [],
  fromMs: monday - day,
  toMs: monday + day,
  ...changes,
})

async function countsOf(projectId: number): Promise<HealthCounts | undefined> {
  const [group] = await store().sessionGroups({ scope: scopeOf(projectId), by: [], max: 1 })
  return group?.sessions
}

const none: HealthCounts = { all: 0, errored: 0, unhandled: 0, abnormal: 0, crashed: 0 }
type Change = Partial<SessionRow>
const start: Change = { isInit: true, seq: 0 }

/** Returns every permutation of a list. */
const ordersOf = <T>(things: readonly T[]): T[][] =>
  things.length < 2
    ? [[...things]]
    : things.flatMap((thing, at) => ordersOf(things.toSpliced(at, 1)).map((rest) => [thing, ...rest]))

describe('the updates of one session, in every order', () => {
  const cases: [what: string, updates: Change[], expected: Partial<HealthCounts>][] = [
    ['a start is a healthy session', [start], { all: 1 }],
    ['an end without its start is none yet', [{ seq: 2, status: 'exited' }], {}],
    ['a crash without its start is one', [{ seq: 2, status: 'crashed', hasErrors: true }], { all: 1, crashed: 1 }],
    [
      'the highest seq says whether it has errors',
      [start, { seq: 1, hasErrors: true }, { seq: 2, status: 'exited' }],
      { all: 1 },
    ],
    [
      'errors of the last update count',
      [start, { seq: 1 }, { seq: 2, status: 'exited', hasErrors: true }],
      { all: 1, errored: 1 },
    ],
    [
      'the status errored counts without a number of errors',
      [start, { seq: 1, status: 'errored' }],
      { all: 1, errored: 1 },
    ],
    [
      'a crash is not an error beside',
      [start, { seq: 1, hasErrors: true }, { seq: 2, status: 'crashed', hasErrors: true }],
      { all: 1, crashed: 1 },
    ],
    [
      'nothing comes after a crash',
      [start, { seq: 1, status: 'crashed', hasErrors: true }, { seq: 2 }],
      { all: 1, crashed: 1 },
    ],
    [
      'not even an end',
      [start, { seq: 1, status: 'crashed', hasErrors: true }, { seq: 2, status: 'exited' }],
      { all: 1, crashed: 1 },
    ],
    [
      'an end learns of errors later',
      [start, { seq: 1, status: 'exited' }, { seq: 2, status: 'exited', hasErrors: true }],
      { all: 1, errored: 1 },
    ],
    [
      'unhandled is not errored',
      [start, { seq: 1, hasErrors: true }, { seq: 2, status: 'unhandled', hasErrors: true }],
      { all: 1, unhandled: 1 },
    ],
    ['abnormal is not errored', [start, { seq: 3, status: 'abnormal', hasErrors: true }], { all: 1, abnormal: 1 }],
    [
      'a number of ms as seq',
      [start, { seq: 1_795_000_000_000, status: 'crashed' }, { seq: 1_795_000_000_001 }],
      { all: 1, crashed: 1 },
    ],
  ]
  test.each(cases.map(([what, updates, expected], at) => ({ what, updates, expected, at })))(
    '$what',
    async ({ updates, expected, at }) => {
      const orders = ordersOf(updates)
      for (const [nth, order] of orders.entries())
        for (const change of order) await insert(update(100 + at, nth, change))
      const found = await countsOf(100 + at)
      const times = (counts: HealthCounts) =>
        Object.fromEntries(Object.entries(counts).map(([key, count]) => [key, count * orders.length]))
      expect(found ?? none).toEqual(times({ ...none, ...expected }))
    },
  )

  test('the same update twice, also under another place, changes nothing', async () => {
    const rows = [update(200, 1, start), update(200, 1, { seq: 3, status: 'crashed' })]
    await insert(...rows)
    await insert(...rows.map((row) => ({ ...row, place: row.place + 10_000 })))
    expect(await countsOf(200)).toEqual({ ...none, all: 1, crashed: 1 })
  })

  test('numbers that order updates keep their order up to the largest safe one', () => {
    const seqs = [0, 1, 7, 1_795_000_000_000, Number.MAX_SAFE_INTEGER]
    const ranks = seqs.map((seq) => latestOf({ seq, status: 'ok', hasErrors: true }))
    expect(ranks).toEqual(ranks.toSorted((a, b) => (a < b ? -1 : 1)))
    const ends = seqs.map((seq) => finalOf({ seq, status: 'crashed' }))
    expect(ends).toEqual(ends.toSorted((a, b) => (a > b ? -1 : 1)))
    expect([...ranks, ...ends].every((rank) => rank > 0n && rank < 2n ** 63n)).toBe(true)
    expect(finalOf({ seq: 5, status: 'errored' })).toBe(0n)
    expect(latestOf({ seq: Number.NaN, status: 'exited', hasErrors: false })).toBe(1n)
  })
})

describe('groups', () => {
  const user = (n: number) => (0xa0 + n).toString(16).padStart(16, '0')
  const project = 300
  const of = (sid: number, changes: Change) => update(project, sid, { isInit: true, ...changes })

  beforeAll(async () => {
    await insert(
      of(1, { userHash: user(1), status: 'exited', durationS: 10 }),
      of(2, { userHash: user(1), status: 'crashed', startedMs: monday + 5 * 60_000 }),
      of(3, { userHash: user(2), status: 'exited', durationS: 30, startedMs: monday + hour }),
      of(4, { release: 'web@2', environment: 'staging', hasErrors: true, status: 'exited', durationS: 1 }),
      // Rows of one aggregate bucket, by the status of their sessions.
      of(5, { release: 'web@2', quantity: 700, status: 'exited' }),
      of(6, { release: 'web@2', quantity: 30, status: 'errored', hasErrors: true, entries: 0 }),
      of(7, { release: 'web@2', quantity: 2, status: 'crashed', userHash: user(3), entries: 0 }),
    )
  })

  /** Must hold before and after the sessions' day is closed. */
  async function check(): Promise<void> {
    const by = (release: string, rows: Awaited<ReturnType<SessionStore['sessionGroups']>>) =>
      rows.find((row) => row.release === release)
    const groups = await store().sessionGroups({
      scope: scopeOf(project),
      by: ['project', 'release'],
      users: true,
      durations: true,
      max: 10,
    })
    expect(groups.map(({ release, projectId }) => [projectId, release])).toEqual([
      [project, 'web@2'],
      [project, 'web@1'],
    ])
    expect(by('web@1', groups)).toEqual({
      projectId: project,
      release: 'web@1',
      environment: '',
      startMs: 0,
      sessions: { ...none, all: 3, crashed: 1 },
      users: { ...none, all: 2, crashed: 1 },
      durations: { avg: 20, p50: 10, p75: 30, p90: 30, p95: 30, p99: 30 },
    })
    expect(by('web@2', groups)).toMatchObject({
      sessions: { ...none, all: 733, errored: 31, crashed: 2 },
      users: { ...none, all: 1, crashed: 1 },
      durations: { avg: 1 },
    })

    const narrowed = scopeOf(project, { environments: ['production'] })
    const produced = await store().sessionGroups({ scope: narrowed, by: ['environment'], max: 10 })
    expect(produced.map(({ environment, sessions }) => [environment, sessions.all])).toEqual([['production', 735]])

    const filter = { op: 'field', field: 'release', match: 'like', value: 'web@1*' } as const
    const hours = await store().sessionGroups({
      scope: scopeOf(project, { filter }),
      by: [],
      bucketMs: hour,
      max: 10,
    })
    expect(hours.map(({ startMs, sessions }) => [startMs, sessions.all])).toEqual([
      [monday, 2],
      [monday + hour, 1],
    ])
    const later = scopeOf(project, { fromMs: monday + 5 * 60_000, toMs: monday + hour })
    const [within] = await store().sessionGroups({ scope: later, by: [], max: 1 })
    expect(within?.sessions).toEqual({ ...none, all: 1, crashed: 1 })
    expect(await store().sessionGroups({ scope: scopeOf(project), by: ['release'], max: 1 })).toHaveLength(1)

    expect(await store().sessionGroups({ scope: scopeOf(project, { projectIds: [] }), by: [], max: 1 })).toEqual([])
  }

  test('by project, release, environment and time, from updates', check)

  test('the same once the day is closed, however often that is begun', async () => {
    expect(await store().openSessionDays(monday - day)).toEqual([])
    const [first] = await store().openSessionDays(monday + day)
    expect(first).toBe(Date.UTC(2026, 10, 16))
    const rows = await store().closeSessionDay(first ?? 0)
    expect(rows).toBeGreaterThanOrEqual(7)
    await check()
    expect(await store().closeSessionDay(first ?? 0)).toBe(0)
    expect(await store().openSessionDays(monday + day)).toEqual([])
    const sums = await connection().rows(
      `SELECT toUInt32(sum(entries)) AS entries, toUInt32(count() - uniqExact(jpos, place)) AS twice
       FROM mishap.sessions WHERE project_id = ${project}`,
    )
    expect(sums).toEqual([{ entries: 5, twice: 0 }])
  })

  test('an update that comes after its day was closed joins it, and nothing is lost or counted again', async () => {
    await insert(of(20, { status: 'exited', release: 'web@9' }))
    expect(await store().closeSessionDay(Date.UTC(2026, 10, 16))).toBe(1)
    const all = await store().sessionGroups({ scope: scopeOf(project), by: ['release'], max: 10 })
    expect(all.map(({ release, sessions }) => [release, sessions.all])).toEqual([
      ['web@2', 733],
      ['web@1', 3],
      ['web@9', 1],
    ])
  })

  test('what a broken-off closing gathered is no part of any count', async () => {
    await insert(update(301, 1, { ...start, startedMs: monday + 2 * day }))
    await connection().command(
      "INSERT INTO mishap.sessions_rollup SELECT * FROM mishap.sessions WHERE toDate(minute) = toDate('2026-11-18')",
    )
    const scope = scopeOf(301, { toMs: monday + 5 * day })
    expect((await store().sessionGroups({ scope, by: [], max: 1 }))[0]?.sessions.all).toBe(1)
    expect(await store().closeSessionDay(Date.UTC(2026, 10, 18))).toBe(1)
    expect((await store().sessionGroups({ scope, by: [], max: 1 }))[0]?.sessions.all).toBe(1)
  })
})
