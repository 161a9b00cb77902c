import { afterEach, expect, test } from 'vitest'
import { testClock } from '../../../base/clock.ts'
import { type Connection, openSqlite, type PreparedQuery } from '../database/connection.ts'
import { sqliteDialect } from '../database/dialect.ts'
import { migrate } from '../database/migrate.ts'
import { effect, hash, nowMs, stored, withProject } from '../fixture.cases.ts'
import type { BatchEffects } from '../meta.ts'
import type { MetaStore } from '../meta-store.ts'
import { metaParts } from '../parts.ts'
import { scrapeName } from '../projects/scrape.ts'

const opened: Connection[] = []
afterEach(async () => {
  for (const connection of opened.splice(0)) await connection.close()
})

/** Opens a meta store with another form of its connection. */
async function openWith(change: (connection: Connection) => Connection): Promise<MetaStore> {
  const file = openSqlite(':memory:')
  opened.push(file)
  const dialect = sqliteDialect()
  await migrate(file, dialect, nowMs)
  const write = change(file)
  const meta = { ...metaParts({ write, read: write, dialect, clock: testClock(nowMs) }, file), close: file.close }
  await withProject(meta)
  await meta.projects.updateProject(1, { scrape: true })
  return meta
}

/** A connection that counts its calls: PostgreSQL answers each of them in a round trip. */
function counting(count: () => void) {
  const counted =
    <A extends unknown[], T>(call: (...values: A) => T) =>
    (...values: A): T => {
      count()
      return call(...values)
    }
  return (connection: Connection): Connection => ({
    ...connection,
    all: counted(connection.all) as Connection['all'],
    get: counted(connection.get) as Connection['get'],
    run: counted(connection.run),
    prepared: <P, R>(build: Parameters<typeof connection.prepared<P, R>>[0]): PreparedQuery<P, R> => {
      const { all, get, run, each } = connection.prepared<P, R>(build)
      // PostgreSQL never uses `each`: it takes each list in one statement (`columnsMax`).
      return { all: counted(all), get: counted(get), run: counted(run), each: counted(each) }
    },
  })
}

/** A batch that writes every table, each with `size` rows, from the hash `first` on. */
function fullBatch(size: number, first: number): BatchEffects {
  const list = Array.from({ length: size }, (_, at) => first + at)
  return {
    events: list.map((at) =>
      effect({
        hashes: [hash(at)],
        eventId: at.toString(16).padStart(32, '0'),
        release: `web@${at}`,
        environment: `e${at}`,
        digest: String(at),
        diagnostics: ['bot'],
        misses: [`d:${at}`],
        scrapes: [scrapeName('', '', `https://cdn.test/${at}.js`)],
        failure: { side: 'server', digest: String(at), sure: true, hints: 0, traceId: '', route: '', userHash: '' },
      }),
    ),
    releases: list.map((at) => ({ projectId: 1, release: `s@${at}`, environment: '', firstMs: nowMs, lastMs: nowMs })),
    attachments: list.map((at) => ({
      projectId: 1,
      eventId: `${at}`,
      name: 'n',
      type: 't',
      contentType: 'c',
      bytes: 1,
      blobKey: `${at}`,
      receivedMs: nowMs,
    })),
    outcomes: list.map((at) => ({ ...stored, keyId: at })),
    dead: list.map((at) => ({
      jpos: at,
      projectId: 1,
      keyId: 1,
      receivedMs: nowMs,
      reason: 'x',
      bytes: 1,
      blobKey: '',
    })),
    again: list.map((id) => ({ id, projectId: 1, keyId: 1, category: 'error', itemType: 'event', bytes: 1 })),
    feedback: list.map((at) => ({
      row: {
        projectId: 1,
        feedbackId: `${at}`,
        eventId: '',
        kind: 'report',
        name: '',
        email: '',
        message: '',
        url: '',
        replayId: '',
        environment: '',
        release: '',
        receivedMs: nowMs,
      },
      outcome: stored,
    })),
    samples: list.map((at) => ({
      projectId: 1,
      reason: 'web_crawler' as const,
      eventId: `${at}`,
      receivedMs: nowMs,
      title: '',
      why: '',
      payload: '',
    })),
  }
}

test('the number of statements of a commit does not grow with its events', async () => {
  let calls = 0
  const meta = await openWith(counting(() => calls++))
  await meta.alerts.createChannel({
    organizationId: 1,
    projectId: null,
    kind: 'webhook',
    name: 'hook',
    sealedTarget: 'x',
    sealedSecret: '',
  })
  await meta.projects.setOwnership(1, { text: '* ann@acme.test' }, { userId: 'ann' }, nowMs)
  const callsOf = async (size: number, first: number) => {
    const from = await meta.batches.cursor('events')
    const batch = await meta.batches.openBatch(from, from + size)
    calls = 0
    const { issues } = await meta.batches.commitBatch(batch, fullBatch(size, first), nowMs)
    expect(issues).toHaveLength(size)
    return calls
  }
  await callsOf(5, 1)
  const known = [await callsOf(5, 1), await callsOf(1_000, 100_000), await callsOf(1_000, 100_000)]
  // A batch that writes every table. A batch of plain events needs about half of them.
  for (const number of known) expect(number).toBeLessThanOrEqual(43)
  expect(await meta.issues.countIssues({ projectIds: [1] })).toBe(1_005)
  const from = await meta.batches.cursor('events')
  const batch = await meta.batches.openBatch(from, from + 1)
  calls = 0
  await meta.batches.commitBatch(batch, { events: [effect()], attachments: [], outcomes: [stored], dead: [] }, nowMs)
  expect(calls).toBeLessThanOrEqual(20)
})

/** A connection whose transactions run twice: the first run is rolled back, as after a conflict on PostgreSQL. */
const runningTwice = (connection: Connection): Connection => ({
  ...connection,
  transaction: async (work) => {
    const conflict = new Error('conflict')
    await connection
      .transaction(async () => {
        await work()
        throw conflict
      })
      .catch((error) => {
        if (error !== conflict) throw error
      })
    return connection.transaction(work)
  },
})

test('a transaction that runs again writes the same as one that runs once', async () => {
  const seen: unknown[] = []
  for (const change of [runningTwice, (connection: Connection) => connection]) {
    const meta = await openWith(change)
    for (const round of [0, 1]) {
      const batch = await meta.batches.openBatch(round * 10, round * 10 + 10)
      await meta.batches.commitBatch(batch, fullBatch(3, 1), nowMs)
    }
    const issues = await Promise.all([1, 2, 3].map(async (id) => (await meta.issues.issueById(id))?.count))
    const outcomes = (await meta.ledger.outcomesSince({ fromMs: 0 })).map((row) => [
      row.keyId,
      row.outcome,
      row.quantity,
    ])
    seen.push([issues, outcomes, await meta.artifacts.missingMapsOf(1), await meta.artifacts.dueScrapes(nowMs, 9)])
  }
  expect(seen[0]).toEqual(seen[1])
  expect(seen[0]).toMatchObject([[2, 2, 2], {}, { length: 3 }, { length: 3 }])
})
