import type { Clock } from '../clock.ts'
import { MishapError } from '../errors.ts'
import { normalOf } from '../query/event.ts'
import type { EventStore, SeenEvent } from '../store/events/events.ts'
import { latestTexts } from '../store/meta/issue-state.ts'
import type { Leaving } from '../store/meta/merge.ts'
import type { Issue, MetaStore } from '../store/meta/meta.ts'

export type UnmergeDeps = {
  clock: Clock
  meta: Pick<
    MetaStore,
    'issueById' | 'issueHashes' | 'hashesOf' | 'openBatches' | 'namedEvents' | 'unmergeHashes' | 'setIssueEdges'
  >
  events: Pick<EventStore, 'countsOf' | 'edgesOf' | 'newestOfGroups' | 'eventsAmong'>
  /** Has the turn and lets the batches in flight end, until the returned function is called. */
  pause(): Promise<() => void>
}

/** What became of hashes that were taken out. `made`: the issue that they have now; none where they had no events. */
export type Unmerged = { issue: Issue; made: Issue | null; events: number }
export type Unmerge = (issueId: number, hashes: readonly string[], userId: string | null) => Promise<Unmerged>

const dayMs = 86_400_000
/** Events that digests and feedback of an issue name. */
const namedMax = 5000

function textsOf(issue: Issue, newest: SeenEvent | undefined): Leaving['texts'] {
  const event = newest && normalOf(newest)
  const { title, culprit, metadata, kind, unhandled } = event?.findings ?? issue
  const { level, platform, logger = '' } = event ?? issue
  const texts = latestTexts({ title, culprit, metadata, level, platform, logger })
  return { kind, unhandled: Number(unhandled), ...texts }
}

/**
 * Makes the function that takes hashes out of an issue, their events with them. While it counts nothing is committed, so
 * the counts of both issues are exact; they and the hashes change in one transaction, so a crash leaves it undone or done.
 * Throws NOT_FOUND, VALIDATION, CONFLICT and STORE_UNAVAILABLE.
 */
export function createUnmerge({ clock, meta, events, pause }: UnmergeDeps): Unmerge {
  async function leavingOf(issue: Issue, hashes: readonly string[]): Promise<Leaving> {
    const { id, projectId } = issue
    const scope = { projectIds: [projectId], environments: [], fromMs: 0, toMs: clock.now() + dayMs }
    const refs = hashes.map((groupHash) => ({ projectId, groupHash }))
    const named = meta.namedEvents(id, namedMax)
    const [counts, edges, newest, eventIds] = await Promise.all([
      events.countsOf(scope, refs),
      events.edgesOf(projectId, hashes),
      events.newestOfGroups(projectId, hashes),
      named.length > 0 ? events.eventsAmong(projectId, hashes, named) : [],
    ])
    const sum = counts.reduce((all, one) => all + one.events, 0)
    const last = newest.toSorted((a, b) => b.timestampUs - a.timestampUs)[0]
    return {
      hashes: [...hashes],
      ...{ events: sum, thinned: Math.max(0, sum - (edges?.events ?? 0)), eventIds },
      firstMs: edges?.firstMs ?? Math.min(...counts.map((one) => one.firstMs), issue.lastSeenMs),
      lastMs: edges?.lastMs ?? Math.max(...counts.map((one) => one.lastMs), issue.firstSeenMs),
      ...{ firstRelease: edges?.firstRelease ?? '', lastRelease: edges?.lastRelease ?? '' },
      texts: textsOf(issue, last),
    }
  }

  return async (issueId, asked, userId) => {
    const hashes = [...new Set(asked)]
    const resume = await pause()
    try {
      // One that a crash broke off has rows which count nowhere yet.
      if (meta.openBatches().length > 0) throw new MishapError('STORE_UNAVAILABLE')
      const issue = meta.issueById(issueId)
      if (!issue) throw new MishapError('NOT_FOUND')
      const known = new Set(meta.issueHashes(issue.id).map((one) => one.hash))
      if (hashes.some((hash) => !known.has(hash))) throw new MishapError('NOT_FOUND')
      const leaving = await leavingOf(issue, hashes)
      const { issue: left, made } = meta.unmergeHashes(issue.id, leaving, userId, clock.now())
      const edges = await events.edgesOf(issue.projectId, meta.hashesOf([issue.id]).get(issue.id) ?? [])
      if (edges) meta.setIssueEdges(issue.id, edges, left.count)
      return { issue: meta.issueById(issue.id) ?? issue, made, events: leaving.events }
    } finally {
      resume()
    }
  }
}
