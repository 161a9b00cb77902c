import type { Clock } from '../base/clock.ts'
import { faultOf, type Observe } from '../base/observe.ts'
import type { BulkRequests } from '../operations/issue-changes.ts'
import type { Bulk } from '../store/meta/issues/bulk.ts'
import type { MetaWith } from '../store/meta/meta-store.ts'

export type BulkDeps = {
  clock: Clock
  observe: Observe
  meta: MetaWith<
    | 'issues.requestBulk'
    | 'issues.growBulk'
    | 'issues.requestMerge'
    | 'issues.openBulks'
    | 'issues.stepBulk'
    | 'issues.undoBulk'
    | 'issues.bulkById'
    | 'issues.dropBulks'
  >
  /** Called after some hundred issues and at the end of each bulk, to notify the screens. */
  changed(organizationId: number, issueIds: readonly number[]): void
}

/** Bulk changes and merges. They run in steps, so that nothing else waits. A restart continues where they stopped. */
export type Bulks = BulkRequests & { run(): Promise<{ changed: number }> }

/** Target duration of a step: commits of events and requests run in between. */
const stepMs = 20
/** Issues per step: the first step, and the range that the measured duration adjusts. */
const stepFirst = 50
const stepLeast = 5
const stepMost = 500
/** Issues that are recorded or dropped in one statement: 5 ms. */
const stepMax = 1000
const pollMs = 20
/** Undo is offered for seconds. The row records the result for a day. */
const retentionMs = 86_400_000

/** Returns the size of the next step after a step of `size` took `ms`. */
function nextSize(size: number, ms: number): number {
  const suggested = ms < stepMs / 2 ? size * 2 : ms > stepMs ? Math.floor((size * stepMs) / ms) : size
  return Math.min(stepMost, Math.max(stepLeast, suggested))
}

/** Reports changed issues of organizations that have at least `least` of them. */
function notifyChanged(changed: BulkDeps['changed'], unpublished: Map<number, number[]>, least: number): void {
  for (const [organizationId, ids] of unpublished) {
    if (ids.length < least) continue
    unpublished.delete(organizationId)
    changed(organizationId, ids)
  }
}

/** Returns a bulk when it has ended, or as it is after `ms`; undefined if it is gone. */
async function waitForEnd(
  { clock, meta }: Pick<BulkDeps, 'clock' | 'meta'>,
  id: number,
  ms: number,
): Promise<Bulk | undefined> {
  for (const endMs = clock.now() + ms; ; ) {
    const found = await meta.issues.bulkById(id)
    if (!found || found.endedMs !== null || clock.now() >= endMs) return found
    await clock.sleep(pollMs)
  }
}

/** The round in progress, and the number of requests whose later parts are still to be recorded. */
type BulkState = { running: Promise<{ changed: number }> | undefined; growing: number }

/** Creates the bulk changes of the app process. Nothing runs before `request`, `merge`, `undo` or `run`. */
export function createBulks({ clock, observe, meta, changed }: BulkDeps): Bulks {
  const state: BulkState = { running: undefined, growing: 0 }

  async function round(): Promise<{ changed: number }> {
    let sum = 0
    const sizes = new Map<number, number>()
    const unpublished = new Map<number, number[]>()
    for (let open = await meta.issues.openBulks(); open.length > 0; open = await meta.issues.openBulks()) {
      for (const { id } of open) {
        const size = sizes.get(id) ?? stepFirst
        const startedMs = clock.now()
        const { issueIds, bulk } = await meta.issues.stepBulk(id, size, startedMs)
        sizes.set(id, nextSize(size, clock.now() - startedMs))
        sum += issueIds.length
        unpublished.set(bulk.organizationId, [...(unpublished.get(bulk.organizationId) ?? []), ...issueIds])
        notifyChanged(changed, unpublished, bulk.endedMs === null ? stepMost : 1)
        await clock.sleep(0)
      }
    }
    notifyChanged(changed, unpublished, 1)
    // Until its last part, a bulk looks like one that a kill left behind. A clock that leaps ahead would make it old.
    while (state.growing === 0 && (await meta.issues.dropBulks(clock.now() - retentionMs, stepMax)))
      await clock.sleep(0)
    return { changed: sum }
  }

  const run = () => {
    state.running ??= round().finally(() => {
      state.running = undefined
    })
    return state.running
  }
  const start = (bulk: Bulk): Bulk => {
    // A current round can have looked for open bulks before this, so run again after it.
    void (state.running ?? Promise.resolve())
      .then(run)
      .catch((error: unknown) =>
        observe.warn({ bulk: bulk.id, error: faultOf(error) }, 'a bulk change continues later'),
      )
    return bulk
  }

  return {
    request: async ({ items, ...value }) => {
      const more = (end: number) => end < items.length
      state.growing++
      try {
        let bulk = await meta.issues.requestBulk(
          { ...value, items: items.slice(0, stepMax), more: more(stepMax) },
          clock.now(),
        )
        for (let from = stepMax; more(from); from += stepMax) {
          await clock.sleep(0)
          bulk = await meta.issues.growBulk(bulk.id, items.slice(from, from + stepMax), more(from + stepMax))
        }
        return start(bulk)
      } finally {
        state.growing--
      }
    },
    merge: async (value) => start(await meta.issues.requestMerge(value, clock.now())),
    undo: async (id) => {
      const bulk = await meta.issues.undoBulk(id, clock.now())
      return bulk && start(bulk)
    },
    run,
    wait: (id, ms) => waitForEnd({ clock, meta }, id, ms),
  }
}
