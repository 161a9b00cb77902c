import type { Clock } from '../base/clock.ts'
import type { Observe } from '../base/observe.ts'
import type { Issue } from '../store/meta/meta.ts'
import type { MetaStore } from '../store/meta/meta-store.ts'

type FailureDeps = {
  clock: Clock
  observe: Pick<Observe, 'warn'>
  meta: Pick<MetaStore, 'joinFailures' | 'boundFailures' | 'issuesByIds'>
  changed(issues: readonly Issue[]): void
}

/** Halves per transaction: some ten milliseconds that block commits and user changes. */
const sidesMax = 100
/** Transactions per run. The next run, a second later, takes the rest. */
const stepsMax = 50
/** Maximum unlinked halves, and maximum links, per project. */
export const failuresMax = 100_000

type JoinRun = { looked: number; linked: number; aside: number; fault?: string }

/**
 * Links newly committed browser events to the server errors that they hide. `aside` counts halves that failed; `fault`
 * is the reason.
 */
export async function joinFailures({ clock, observe, meta, changed }: FailureDeps): Promise<JoinRun> {
  const sum: JoinRun = { looked: 0, linked: 0, aside: 0 }
  const issueIds = new Set<number>()
  for (let step = 0; step < stepsMax; step++) {
    const { looked, linked, aside, fault, issueIds: ids, more } = meta.joinFailures(sidesMax, clock.now())
    sum.looked += looked
    sum.linked += linked
    sum.aside += aside
    if (fault !== undefined) sum.fault ??= fault
    for (const id of ids) issueIds.add(id)
    if (!more) break
    await clock.sleep(5)
  }
  if (sum.aside > 0) observe.warn(sum, 'error links could not be made')
  if (issueIds.size > 0) changed(meta.issuesByIds([...issueIds]))
  return sum
}

/** Drops the oldest halves and links above the limit. */
export const boundFailures = ({ meta }: Pick<FailureDeps, 'meta'>): { gone: number } => ({
  gone: meta.boundFailures(failuresMax),
})
