import { type InboundFilter, oldBrowsers, type ProjectFilters } from '../domain/filters.ts'
import type { MetaWith } from '../store/meta/meta-store.ts'

const weekMs = 7 * 86_400_000

/** Counts the events that a project's filters dropped in the last 7 days, by reason. */
export async function droppedOf(
  meta: MetaWith<'ledger.outcomeSums'>,
  projectId: number,
  nowMs: number,
): Promise<Map<string, number>> {
  const dropped = new Map<string, number>()
  for (const outcomeSum of await meta.ledger.outcomeSums({ projectIds: [projectId], fromMs: nowMs - weekMs }))
    if (outcomeSum.outcome === 'filtered' && outcomeSum.category !== 'attachment')
      dropped.set(outcomeSum.reason, (dropped.get(outcomeSum.reason) ?? 0) + outcomeSum.quantity)
  return dropped
}

/** Returns a filter's settings. `active` is false, true, or the filtered browsers. */
export function filterState(
  filters: ProjectFilters,
  inboundFilter: InboundFilter,
): { active: boolean | string[]; patterns: string[] | null; subfilters: string[] | null } {
  if (inboundFilter.kind === 'switch') return { active: filters[inboundFilter.key], patterns: null, subfilters: null }
  if (inboundFilter.kind === 'browsers')
    return {
      active: filters.browsers.length > 0 && [...filters.browsers],
      patterns: null,
      subfilters: Object.keys(oldBrowsers),
    }
  const patterns = filters[inboundFilter.key]
  return { active: patterns.length > 0, patterns: [...patterns], subfilters: null }
}
