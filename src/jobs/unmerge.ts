import type { Clock } from '../base/clock.ts'
import { MishapError } from '../base/errors.ts'
import type { Unmerge } from '../operations/issue-merges.ts'
import { normalOf } from '../query/issues/event.ts'
import type { EventStore } from '../store/events/event-store.ts'
import type { EventFilter } from '../store/events/events.ts'
import { latestTexts } from '../store/meta/issues/issue-state.ts'
import type { Leaving } from '../store/meta/issues/merge.ts'
import type { Issue } from '../store/meta/meta.ts'
import type { MetaWith } from '../store/meta/meta-store.ts'
import type { IssueEdges } from '../store/meta/retention/reprocessing.ts'

export type UnmergeDeps = {
  clock: Clock
  meta: MetaWith<
    | 'issues.issueById'
    | 'merges.issueHashes'
    | 'batches.openBatches'
    | 'retention.reprocessingSteps'
    | 'retention.downsampleSteps'
    | 'merges.namedEvents'
    | 'merges.unmergeHashes'
  >
  events: Pick<EventStore, 'countsOf' | 'edgesOf' | 'ofIssue' | 'eventsAmong'>
  /** Takes the lock and waits for batches in flight, until the returned function is called. */
  pause(): Promise<() => void>
}

const dayMs = 86_400_000
/** Maximum events of an issue that digests and feedback name. */
const namedMax = 5000

/** Search filter for unhandled events. */
const unhandledOnly: EventFilter = { op: 'tag', key: 'handled', match: 'is', value: 'no' }

type Shown = Pick<Issue, 'title' | 'culprit' | 'metadata' | 'kind' | 'level' | 'platform' | 'logger'>

function textsOf(shown: Shown, unhandled: boolean): Leaving['texts'] {
  const { title, culprit, metadata, kind, level, platform, logger } = shown
  const texts = latestTexts({ title, culprit, metadata, level, platform, logger })
  return { kind, unhandled: Number(unhandled), ...texts }
}

/** Texts and dates of some groups of an issue. */
type RemainingState = { texts: Leaving['texts'] | undefined; edges: IssueEdges | undefined }

/** Throws while rows left by a crash are not counted yet, or are counted and still being removed. */
async function demandNoOpenWork({ meta }: UnmergeDeps): Promise<void> {
  const isDownsampling = (await meta.retention.downsampleSteps()).some(
    (downsampleStep) => downsampleStep.stage !== 'cut',
  )
  if (
    isDownsampling ||
    (await meta.batches.openBatches()).length > 0 ||
    (await meta.retention.reprocessingSteps('open')).length > 0
  )
    throw new MishapError('STORE_UNAVAILABLE')
}

/**
 * Creates the function that moves hashes, with their events, out of an issue. Commits pause while it counts, so that
 * the counts of both issues are exact. One transaction makes all changes, so a crash cannot leave half of them.
 * @throws NOT_FOUND, VALIDATION, CONFLICT and STORE_UNAVAILABLE.
 */
export function createUnmerge(deps: UnmergeDeps): Unmerge {
  const { clock, meta, events, pause } = deps

  async function stateOf({ projectId, unhandled }: Issue, hashes: readonly string[]): Promise<RemainingState> {
    if (hashes.length === 0) return { texts: undefined, edges: undefined }
    const newest = { projectId, hashes: [...hashes], order: 'newest' as const, max: 1 }
    const [edges, [row], [uncaught]] = await Promise.all([
      events.edgesOf(projectId, hashes),
      events.ofIssue(newest),
      // The newest event is not enough. If the whole issue has no unhandled event, its parts have none.
      unhandled ? events.ofIssue({ ...newest, filter: unhandledOnly }) : [],
    ])
    if (!row) return { texts: undefined, edges }
    const { findings, level, platform, logger = '' } = normalOf(row)
    return { texts: textsOf({ ...findings, level, platform, logger }, findings.unhandled || Boolean(uncaught)), edges }
  }

  async function leavingStateOf(issue: Issue, hashes: readonly string[], others: readonly string[]): Promise<Leaving> {
    const { id, projectId } = issue
    const scope = { projectIds: [projectId], environments: [], fromMs: 0, toMs: clock.now() + dayMs }
    const refs = hashes.map((groupHash) => ({ projectId, groupHash }))
    const named = await meta.merges.namedEvents(id, namedMax)
    const [counts, { edges, texts }, staying, eventIds] = await Promise.all([
      events.countsOf(scope, refs),
      stateOf(issue, hashes),
      stateOf(issue, others),
      named.length > 0 ? events.eventsAmong(projectId, hashes, named) : [],
    ])
    const sum = counts.reduce((all, count) => all + count.events, 0)
    // Evicted events are only in the counts.
    const spans = edges ? [edges, ...counts] : counts
    return {
      hashes: [...hashes],
      events: sum,
      downsampled: Math.max(0, sum - (edges?.events ?? 0)),
      eventIds,
      firstMs: Math.min(...spans.map((span) => span.firstMs), issue.lastSeenMs),
      lastMs: Math.max(...spans.map((span) => span.lastMs), issue.firstSeenMs),
      firstRelease: edges?.firstRelease ?? '',
      lastRelease: edges?.lastRelease ?? '',
      texts: texts ?? textsOf(issue, issue.unhandled),
      staying: { ...staying, count: issue.count },
    }
  }

  return async (issueId, requested, userId) => {
    const hashes = [...new Set(requested)]
    const resume = await pause()
    try {
      await demandNoOpenWork(deps)
      const issue = await meta.issues.issueById(issueId)
      if (!issue) throw new MishapError('NOT_FOUND')
      const knownHashes = new Set((await meta.merges.issueHashes(issue.id)).map((issueHash) => issueHash.hash))
      if (hashes.some((hash) => !knownHashes.delete(hash))) throw new MishapError('NOT_FOUND')
      const leaving = await leavingStateOf(issue, hashes, [...knownHashes])
      const { issue: left, created } = await meta.merges.unmergeHashes(issue.id, leaving, userId, clock.now())
      return { issue: left, created, events: leaving.events }
    } finally {
      resume()
    }
  }
}
