import type { EventStore } from '../../store/events/event-store.ts'
import type { Limits } from '../../store/events/question.ts'
import type { MetaWith } from '../../store/meta/meta-store.ts'
import { both } from '../compile/measure-parts.ts'
import type { Measure } from '../metrics/measures.ts'

/** An issue in what a rule watches, and its part of the events. */
export type MainIssue = { issueId: number; projectId: number; share: number }

/** Hashes that are read: the largest groups, of which several can be one issue. */
const hashesMax = 200
const limits: Limits = { seconds: 5, memoryBytes: 200 * 2 ** 20 }

/**
 * Returns the issues whose events a rule counts between two times of receipt, those with most events first. Empty for other
 * datasets than errors. Throws QUERY_TIMEOUT, STORE_UNAVAILABLE.
 */
export async function mainIssues(
  { events, meta }: { events: Pick<EventStore, 'groupRows'>; meta: MetaWith<'issues.issueIdsOf'> },
  { dataset, from, projectIds, environments, filter, recipes }: Measure,
  range: { fromMs: number; toMs: number },
): Promise<MainIssue[]> {
  if (dataset !== 'errors') return []
  const rows = await events.groupRows({
    from,
    scope: { projectIds, environments, ...range },
    by: 'received',
    // The first part counts the rows of the series that decides.
    filter: both(filter, recipes.parts[0]?.aggregate.only),
    withCut: false,
    values: [
      { of: 'number', column: 'projectId' },
      { of: 'id', column: 'group' },
    ],
    aggregates: [{ fn: 'samples' }, { fn: 'allSamples' }],
    having: [],
    order: [{ at: 2, descending: true }],
    max: hashesMax,
    offset: 0,
    limits,
  })
  const groups = rows.map(([projectId, groupHash, count, all]) => ({
    projectId: Number(projectId),
    groupHash: String(groupHash),
    count: Number(count),
    all: Number(all),
  }))
  const ids = await meta.issues.issueIdsOf(groups)
  const found = new Map<number, MainIssue>()
  for (const { projectId, groupHash, count, all } of groups) {
    const issueId = ids.get(`${projectId}:${groupHash}`)
    if (issueId === undefined) continue
    const issue = found.get(issueId) ?? { issueId, projectId, share: 0 }
    found.set(issueId, { ...issue, share: issue.share + count / all })
  }
  return [...found.values()].toSorted((a, b) => b.share - a.share)
}
