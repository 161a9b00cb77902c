import type { Clock } from '../clock.ts'
import { faultOf, type Observe } from '../observe.ts'
import type { Bulk } from '../store/meta/bulk.ts'
import type { MetaStore } from '../store/meta/meta.ts'
import type { IssueChange } from '../store/meta/triage.ts'

export type BulkDeps = {
  clock: Clock
  observe: Observe
  meta: Pick<MetaStore, 'askBulk' | 'openBulks' | 'stepBulk' | 'undoBulk' | 'bulkById' | 'dropBulks'>
  /** After each step: screens are told. */
  changed(organizationId: number, issueIds: readonly number[]): void
}

/** Changes of many issues: done in steps, so that nothing else waits; a restart goes on where one stood. */
export type Bulks = {
  ask(value: { organizationId: number; userId: string | null; items: { issueId: number; change: IssueChange }[] }): Bulk
  /** Takes back what was not changed since; undefined when it was taken back before. */
  undo(id: number): Bulk | undefined
  run(): Promise<{ changed: number }>
  /** The bulk once it has ended or `ms` have passed. */
  wait(id: number, ms: number): Promise<Bulk | undefined>
}

/** 500 issues are 60 ms of one transaction; commits of events come in between. */
const stepMax = 500
const lookMs = 20
/** Undo is offered for seconds; the row says for a day what was done. */
const keptMs = 86_400_000

/** Makes the bulk changes of process app; nothing runs before `ask`, `undo` or `run`. */
export function createBulks({ clock, observe, meta, changed }: BulkDeps): Bulks {
  const state: { running: Promise<{ changed: number }> | undefined } = { running: undefined }

  async function round(): Promise<{ changed: number }> {
    let sum = 0
    for (let open = meta.openBulks(); open.length > 0; open = meta.openBulks()) {
      for (const { id } of open) {
        const { issueIds, bulk } = meta.stepBulk(id, stepMax, clock.now())
        sum += issueIds.length
        if (issueIds.length > 0) changed(bulk.organizationId, issueIds)
        await clock.sleep(0)
      }
    }
    meta.dropBulks(clock.now() - keptMs)
    return { changed: sum }
  }

  const run = () => {
    state.running ??= round().finally(() => {
      state.running = undefined
    })
    return state.running
  }
  const start = (bulk: Bulk): Bulk => {
    run().catch((error: unknown) =>
      observe.warn({ bulk: bulk.id, error: faultOf(error) }, 'a bulk change goes on later'),
    )
    return bulk
  }

  return {
    ask: (value) => start(meta.askBulk(value, clock.now())),
    undo: (id) => {
      const bulk = meta.undoBulk(id, clock.now())
      return bulk && start(bulk)
    },
    run,
    wait: async (id, ms) => {
      for (const endMs = clock.now() + ms; ; ) {
        const found = meta.bulkById(id)
        if (!found || found.endedMs !== null || clock.now() >= endMs) return found
        await clock.sleep(lookMs)
      }
    },
  }
}
