import type { Clock } from '../base/clock.ts'
import type { Observe } from '../base/observe.ts'
import type { Issue } from '../store/meta/meta.ts'
import type { MetaWith } from '../store/meta/meta-store.ts'

type LinkDeps = {
  clock: Clock
  observe: Pick<Observe, 'warn'>
  meta: MetaWith<'errorLinks.linkErrors' | 'errorLinks.limitErrorEnds' | 'issues.issuesByIds'>
  changed(issues: readonly Issue[]): void
}

/** Halves per transaction: some ten milliseconds that block commits and user changes. */
const endsMax = 100
/** Transactions per run. The next run, a second later, takes the rest. */
const stepsMax = 50
/** Maximum unlinked halves, and maximum links, per project. */
export const errorEndsMax = 100_000

type LinkRun = { checked: number; linked: number; failed: number; reason?: string }

/**
 * Links newly committed browser events to the server errors that they hide. `failed` counts halves that
 * could not be checked; `reason` is the first error.
 */
export async function linkErrors({ clock, observe, meta, changed }: LinkDeps): Promise<LinkRun> {
  const totals: LinkRun = { checked: 0, linked: 0, failed: 0 }
  const issueIds = new Set<number>()
  for (let step = 0; step < stepsMax; step++) {
    const { looked, linked, aside, fault, issueIds: ids, more } = await meta.errorLinks.linkErrors(endsMax, clock.now())
    totals.checked += looked
    totals.linked += linked
    totals.failed += aside
    if (fault !== undefined) totals.reason ??= fault
    for (const id of ids) issueIds.add(id)
    if (!more) break
    await clock.sleep(5)
  }
  if (totals.failed > 0) observe.warn(totals, 'error links could not be made')
  if (issueIds.size > 0) changed(await meta.issues.issuesByIds([...issueIds]))
  return totals
}

/** Drops the oldest halves and links above the limit. */
export const limitErrorEnds = async ({ meta }: Pick<LinkDeps, 'meta'>): Promise<{ gone: number }> => ({
  gone: await meta.errorLinks.limitErrorEnds(errorEndsMax),
})
