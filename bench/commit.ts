// Commit of one batch of 1,000 events in the meta store, with 1, 50 and 1,000 issues, new and known. `npm run bench --
// commit --against FOLDER` also measures the checkout in FOLDER, in turns with this one.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { systemClock } from '../src/base/clock.ts'
import { commit, effect, hash, nowMs, withProject } from '../src/store/meta/fixture.cases.ts'
import type { EventEffect } from '../src/store/meta/meta.ts'
import type { MetaStore } from '../src/store/meta/meta-store.ts'
import { openSqliteMeta } from '../src/store/meta/sqlite.ts'
import type { Row } from './measure.ts'

const events = 1_000
const sizes = [1, 50, 1_000]
/** Ratio to the time of the other checkout. */
const ratioMax = 1

type Times = { fresh: number[]; known: number[] }
/** A store under measurement, with its times in ms by the number of issues. */
type Measured = { name: string; meta: MetaStore; times: Map<number, Times> }

/** A batch of `events` events in `issues` issues from the hash `first` on. */
const batchOf = (issues: number, first: number, round: number): EventEffect[] =>
  Array.from({ length: events }, (_, at) =>
    effect({
      hashes: [hash(first + (at % issues))],
      eventId: (round * events + at).toString(16).padStart(32, '0'),
      title: `TypeError: item ${first + (at % issues)} is not a function`,
      timestampMs: nowMs + round * 1_000 + at,
      receivedMs: nowMs + round * 1_000 + at,
      release: `shop@1.0.${at % 3}`,
      environment: at % 2 === 0 ? 'production' : 'staging',
      digest: at % 4 === 0 ? String(first + (at % issues)) : '',
    }),
  )

async function timed(meta: MetaStore, effects: EventEffect[]): Promise<number> {
  const outcome = { projectId: 1, keyId: 1, category: 'error', outcome: 'stored', reason: 'ok' } as const
  const outcomes = effects.map(() => ({ ...outcome, itemType: 'event', quantity: 1, bytes: 26_000 }))
  const beganMs = performance.now()
  await commit(meta, { events: effects, outcomes })
  return performance.now() - beganMs
}

async function measure({ meta, times }: Measured, issues: number, round: number): Promise<void> {
  const first = (round * sizes.length + sizes.indexOf(issues)) * events + 1
  const found = times.get(issues) ?? { fresh: [], known: [] }
  times.set(issues, found)
  found.fresh.push(await timed(meta, batchOf(issues, first, 2 * round)))
  found.known.push(await timed(meta, batchOf(issues, first, 2 * round + 1)))
}

const median = (list: readonly number[]): number => [...list].sort((a, b) => a - b)[list.length >> 1] ?? 0

function rowsOf([own, other]: [Measured, Measured | undefined]): Row[] {
  return sizes.flatMap((issues) =>
    (['fresh', 'known'] as const).map((kind) => {
      const ms = median(own.times.get(issues)?.[kind] ?? [])
      const otherMs = other && median(other.times.get(issues)?.[kind] ?? [])
      return {
        what: `commit of ${events} events of ${issues} ${kind === 'fresh' ? 'new' : 'known'} issues, SQLite on disk`,
        goal: other ? `at most ${ratioMax.toFixed(2)} of ${other.name}` : 'none',
        result: `median ${ms.toFixed(1)} ms${otherMs === undefined ? '' : `; ${other?.name} ${otherMs.toFixed(1)} ms: ${(ms / otherMs).toFixed(2)}`}`,
        met: otherMs === undefined || ms <= otherMs * ratioMax,
      }
    }),
  )
}

/** Measures this checkout, and in turns with it the one in the folder `against`. */
export async function benchCommit(rounds = 15, against?: string): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'mishap-bench-'))
  const measured = async (name: string, open: typeof openSqliteMeta): Promise<Measured> => {
    const meta = await withProject(await open(join(folder, `${name}.db`), { clock: systemClock }))
    await meta.createChannel({ organizationId: 1, projectId: null, kind: 'webhook', name: 'hook', sealedTarget: 'x', sealedSecret: 'x' })
    return { name, meta, times: new Map() }
  }
  const stores: [Measured, Measured | undefined] = [await measured('this checkout', openSqliteMeta), undefined]
  if (against !== undefined) {
    const other = (await import(join(resolve(against), 'src/store/meta/sqlite.ts'))) as { openSqliteMeta: typeof openSqliteMeta }
    stores[1] = await measured('the other checkout', other.openSqliteMeta)
  }
  try {
    // The first rounds fill the caches of statements and compile the code.
    for (let round = 0; round < rounds + 2; round++) {
      if (round === 2) for (const store of stores) store?.times.clear()
      for (const issues of sizes) for (const store of stores) if (store) await measure(store, issues, round)
    }
    return rowsOf(stores)
  } finally {
    for (const store of stores) await store?.meta.close()
    rmSync(folder, { recursive: true })
  }
}
