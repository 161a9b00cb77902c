import type { Clock } from '../base/clock.ts'
import type { Observe } from '../base/observe.ts'
import type { Issue } from '../store/meta/meta.ts'
import type { MetaStore } from '../store/meta/meta-store.ts'

type LinkDeps = {
  clock: Clock
  observe: Pick<Observe, 'warn'>
  meta: Pick<MetaStore, 'linkErrors' | 'limitErrorEnds' | 'issuesByIds'>
  changed(issues: readonly Issue[]): void
}

/** Halves per transaction: some ten milliseconds that block commits and user changes. */
const endsMax = 100
/** Transactions per run. The next run, a second later, takes the rest. */
const stepsMax = 50
/** Maximum unlinked halves, and maximum links, per project. */
export const errorEndsMax = 100_000

type LinkRun = { looked: number; linked: number; aside: number; fault?: string }

/**
 * Links newly committed browser events to the server errors that they hide. `aside` counts halves that failed; `fault`
 * is the reason.
 */
export async function linkErrors({ clock, observe, meta, changed }: LinkDeps): Promise<LinkRun> {
  const totals: LinkRun = { looked: 0, linked: 0, aside: 0 }
  const issueIds = new Set<number>()
  for (let step = 0; step < stepsMax; step++) {
    const { looked, linked, aside, fault, issueIds: ids, more } = await meta.linkErrors(endsMax, clock.now())
    totals.looked += looked
    totals.linked += linked
    totals.aside += aside
    if (fault !== undefined) totals.fault ??= fault
    for (const id of ids) issueIds.add(id)
    if (!more) break
    await clock.sleep(5)
  }
  if (totals.aside > 0) observe.warn(totals, 'error links could not be made')
  if (issueIds.size > 0) changed(await meta.issuesByIds([...issueIds]))
  return totals
}

/** Drops the oldest halves and links above the limit. */
export const limitErrorEnds = async ({ meta }: Pick<LinkDeps, 'meta'>): Promise<{ gone: number }> => ({
  gone: await meta.limitErrorEnds(errorEndsMax),
})
