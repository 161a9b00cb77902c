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
import { median } from './load.ts'
import type { Row } from './measure.ts'

const events = 1_000
const sizes = [1, 50, 1_000]
/** Maximum ratio to the processor time of the other checkout. */
const ratioMax = 1

type Times = { cpuMs: number[]; wallMs: number[] }
/** A store under measurement, with its times by kind and number of issues. */
type Measured = { meta: MetaStore; times: Map<string, Times> }

/** A batch of `events` events in `issues` issues, from the hash `first` on. */
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

const outcome = {
  projectId: 1,
  keyId: 1,
  category: 'error',
  outcome: 'stored',
  reason: 'ok',
  itemType: 'event',
} as const

/** Commits a batch and stores its times. Processor time includes the garbage of other batches, in both checkouts. */
async function timed({ meta, times }: Measured, name: string, effects: EventEffect[]): Promise<void> {
  const outcomes = effects.map(() => ({ ...outcome, quantity: 1, bytes: 26_000 }))
  const [beganMs, began] = [performance.now(), process.cpuUsage()]
  await commit(meta, { events: effects, outcomes })
  const used = process.cpuUsage(began)
  const found = times.get(name) ?? { cpuMs: [], wallMs: [] }
  times.set(name, found)
  found.cpuMs.push((used.user + used.system) / 1_000)
  found.wallMs.push(performance.now() - beganMs)
}

const kinds = ['new', 'known'] as const
const nameOf = (issues: number, kind: (typeof kinds)[number]) => `${issues} ${kind} issues`

const least = (list: readonly number[]): number => Math.min(...list)

function rowsOf([own, other]: readonly Measured[]): Row[] {
  return sizes.flatMap((issues) =>
    kinds.map((kind) => {
      const name = nameOf(issues, kind)
      const [times, others] = [own?.times.get(name), other?.times.get(name)]
      const show = (found: Times) =>
        `processor time ${median(found.cpuMs).toFixed(1)} ms (least ${least(found.cpuMs).toFixed(1)}), whole ${median(found.wallMs).toFixed(1)} ms`
      const ratio = times && others ? median(times.cpuMs) / median(others.cpuMs) : undefined
      return {
        what: `commit of ${events} events of ${name}, SQLite on disk`,
        goal: others ? `at most ${ratioMax.toFixed(2)} of the other checkout` : 'none',
        result: [
          ...(times ? [show(times)] : []),
          ...(others ? [`other checkout ${show(others)}`] : []),
          ...(ratio === undefined ? [] : [`ratio ${ratio.toFixed(2)}`]),
        ].join('; '),
        met: ratio === undefined || ratio <= ratioMax,
      }
    }),
  )
}

/**
 * Measures this checkout, and in turns with it the one in the folder `against`. Processor time decides, because the time
 * of a sync depends on the other work of the disk.
 */
export async function benchCommit(rounds = 15, against?: string): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'mishap-bench-'))
  const opens = [openSqliteMeta]
  if (against !== undefined) {
    const other = (await import(join(resolve(against), 'src/store/meta/sqlite.ts'))) as {
      openSqliteMeta: typeof openSqliteMeta
    }
    opens.push(other.openSqliteMeta)
  }
  const stores: Measured[] = []
  try {
    for (const [at, open] of opens.entries()) {
      const meta = await withProject(await open(join(folder, `${at}.sqlite`), { clock: systemClock }))
      const hook = { organizationId: 1, projectId: null, kind: 'webhook', name: 'hook' } as const
      await meta.alerts.createChannel({ ...hook, sealedTarget: 'x', sealedSecret: '' })
      stores.push({ meta, times: new Map() })
    }
    // The first rounds compile the statements and the code.
    for (let round = -2; round < rounds; round++) {
      if (round === 0) for (const store of stores) store.times.clear()
      for (const [at, issues] of sizes.entries())
        for (const store of round % 2 === 0 ? stores : stores.toReversed())
          for (const [step, kind] of kinds.entries())
            await timed(
              store,
              nameOf(issues, kind),
              batchOf(issues, ((round + 2) * sizes.length + at) * events + 1, 2 * (round + 2) + step),
            )
    }
    return rowsOf(stores)
  } finally {
    for (const { meta } of stores) await meta.close()
    rmSync(folder, { recursive: true })
  }
}
