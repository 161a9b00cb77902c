import type {
  RestGroupingInfo,
  RestGroupingPreview,
  RestIssueHash,
  RestIssueName,
  RestPreviewedEvent,
  RestSimilarIssue,
} from '../../contract/grouping.ts'
import type { NormalEvent } from '../../domain/event.ts'
import type { Features, GroupingInfo, GroupingRules, Likeness } from '../../domain/grouping.ts'
import type { SeenEvent } from '../../store/events/events.ts'
import type { EventPlace } from '../../store/events/newest.ts'
import type { Issue, Project } from '../../store/meta/meta.ts'
import { normalOf } from './event.ts'
import type { QueryDeps } from './issue.ts'

/** The stores, and functions that explain a grouping. The App has all of them. */
export type GroupingDeps = QueryDeps & {
  grouping: {
    explain(event: NormalEvent, rules: GroupingRules | undefined): GroupingInfo
    featuresOf(event: NormalEvent): Features
    likeness(a: Features, b: Features): Likeness
  }
}

/** Limit of events that a preview reads. */
const previewMax = 100
/** Limits of compared issues, of their hashes in total, and of similar issues in the answer. */
const candidatesMax = 150
const candidateHashesMax = 20_000
const similarMax = 10
const similarMin = 0.25
/** Limits of an issue's hashes that are counted, listed, and listed with their newest event. */
const countedMax = 5000
const hashesMax = 500
const titledMax = 100
/** Events per read (one can have a megabyte); time limit of all reads; time until other work can run. In ms. */
const readMax = 20
const readMs = 5000
const yieldEveryMs = 10

/** Reads events in small batches with a time limit: the process that explains them also serves all screens. */
async function* eventsAt(
  { events, clock }: GroupingDeps,
  projectId: number,
  positions: readonly EventPlace[],
): AsyncGenerator<SeenEvent> {
  const endMs = clock.now() + readMs
  let yieldedMs = clock.now()
  for (let start = 0; start < positions.length; start += readMax)
    for (const row of await events.eventsAt(projectId, positions.slice(start, start + readMax))) {
      if (clock.now() > endMs) return
      yield row
      if (clock.now() - yieldedMs < yieldEveryMs) continue
      await clock.sleep(0)
      yieldedMs = clock.now()
    }
}

export const issueName = ({ id, shortId, title, culprit }: Issue): RestIssueName => ({
  id: String(id),
  shortId,
  title,
  culprit,
})

const rulesOf = async (deps: GroupingDeps, projectId: number): Promise<GroupingRules> =>
  (await deps.meta.projects.projectSettings(projectId))?.grouping ?? {}

/** Explains the grouping of an event by the current rules of its project. */
export async function groupingInfoOf(deps: GroupingDeps, row: SeenEvent): Promise<RestGroupingInfo> {
  const event = normalOf(row)
  const { version, hashes, rule, variants } = deps.grouping.explain(event, await rulesOf(deps, row.projectId))
  return {
    version,
    hashes,
    storedHashes: row.hashes,
    rule: rule ?? null,
    storedRule: event.findings.grouping.rule ?? null,
    variants: variants.map(({ name, contributes, hint, hash, why, component }) => ({
      name,
      contributes,
      why,
      component,
      hint: hint ?? null,
      hash: hash ?? null,
    })),
  }
}

/** Merges the current rules with rules to try. A new version starts with both keys, as in a real change of version. */
function triedOf(now: GroupingRules, tried: GroupingRules): GroupingRules {
  const [from, to] = [now.version ?? 1, tried.version ?? now.version ?? 1]
  return { ...now, ...tried, ...(from === to ? {} : { secondary: from }) }
}

/**
 * Previews rules on a project's newest events, one by one as a commit would process them: the first known hash decides,
 * and all other hashes then lead to the same issue. Throws VALIDATION for invalid rules, STORE_UNAVAILABLE.
 */
export async function previewOf(
  deps: GroupingDeps,
  project: Project,
  rules: GroupingRules,
): Promise<RestGroupingPreview> {
  const tried = triedOf(await rulesOf(deps, project.id), rules)
  type Explained = Pick<SeenEvent, 'eventId' | 'groupHash'> &
    Pick<RestPreviewedEvent, 'title' | 'rule'> & { hashes: string[] }
  // By id: an event can be stored twice during reprocessing.
  const explained = new Map<string, Explained>()
  for await (const row of eventsAt(deps, project.id, await deps.events.lastPlaces(project.id, previewMax))) {
    if (explained.has(row.eventId)) continue
    const { eventId, groupHash } = row
    const event = normalOf(row)
    const { title = event.findings.title, hashes, rule = null } = deps.grouping.explain(event, tried)
    explained.set(eventId, { eventId, groupHash, title, hashes, rule })
  }
  const hashesOfAll = [...new Set([...explained.values()].flatMap(({ groupHash, hashes }) => [groupHash, ...hashes]))]
  const owners = await deps.meta.issues.issueIdsOf(
    hashesOfAll.map((groupHash) => ({ projectId: project.id, groupHash })),
  )
  const ownerOf = (hash: string) => owners.get(`${project.id}:${hash}`)
  const issues = new Map(
    (await deps.meta.issues.issuesByIds([...new Set(owners.values())])).map((issue) => [issue.id, issueName(issue)]),
  )
  const nameOf = (id: number | undefined) => (id === undefined ? null : (issues.get(id) ?? null))
  const joined = new Map<string, number>()
  const oldestFirst = [...explained.values()].reverse()
  const previewed = oldestFirst.map(({ eventId, groupHash, title, hashes, rule }): RestPreviewedEvent => {
    const from = ownerOf(groupHash)
    const to = hashes.map((hash) => ownerOf(hash) ?? joined.get(hash)).find((id) => id !== undefined)
    if (to !== undefined) for (const hash of hashes) if (!joined.has(hash)) joined.set(hash, to)
    const kind = to === undefined ? 'new' : to === from ? 'same' : 'issue'
    return {
      eventID: eventId,
      title,
      issue: nameOf(from),
      kind,
      to: kind === 'issue' ? nameOf(to) : null,
      hash: hashes[0] ?? '',
      rule,
    }
  })
  const events = previewed.reverse()
  const changed = events.filter((event) => event.kind !== 'same')
  const newIssues = new Set(
    changed.flatMap((previewedEvent) => (previewedEvent.kind === 'new' ? [previewedEvent.hash] : [])),
  ).size
  return { looked: events.length, changed: changed.length, newIssues, events: changed }
}

/** Returns the hashes of an issue, most events first. Throws STORE_UNAVAILABLE. */
export async function issueHashesOf(deps: GroupingDeps, issue: Issue): Promise<RestIssueHash[]> {
  const issueHashes = (await deps.meta.merges.issueHashes(issue.id)).slice(0, countedMax)
  const { projectId } = issue
  const scope = { projectIds: [projectId], environments: [], fromMs: 0, toMs: deps.clock.now() + 86_400_000 }
  const refs = issueHashes.map(({ hash: groupHash }) => ({ projectId, groupHash }))
  const countOf = new Map((await deps.events.countsOf(scope, refs)).map((count) => [count.groupHash, count]))
  const eventsOf = ({ hash }: { hash: string }) => countOf.get(hash)?.events ?? 0
  const listed = issueHashes.toSorted((a, b) => eventsOf(b) - eventsOf(a)).slice(0, hashesMax)
  const titled = listed.slice(0, titledMax).map((issueHash) => issueHash.hash)
  const eventOf = new Map<string, RestIssueHash['latestEvent']>()
  for await (const row of eventsAt(deps, projectId, await deps.events.newestPlaces(projectId, titled)))
    eventOf.set(row.groupHash, { eventID: row.eventId, title: normalOf(row).findings.title })
  return listed.map(({ hash, mergedFrom }): RestIssueHash => {
    const count = countOf.get(hash)
    return {
      id: hash,
      mergedFrom,
      events: count?.events ?? 0,
      lastSeen: count ? new Date(count.lastMs).toISOString() : null,
      latestEvent: eventOf.get(hash) ?? null,
    }
  })
}

type Newest = { id: number; position: EventPlace }

/** Returns the place of the newest event of each issue, in their order; issues without events are left out. */
async function newestOf(deps: GroupingDeps, projectId: number, ids: readonly number[]): Promise<Newest[]> {
  const ownerOf = new Map<string, number>()
  // Uses all hashes of an issue: an event is stored under only one of them, and which one is unknown here.
  for (const [id, list] of await deps.meta.issues.hashesOf([...ids]))
    for (const hash of list.slice(0, candidateHashesMax - ownerOf.size)) ownerOf.set(hash, id)
  const newest = new Map<number, EventPlace>()
  for (const position of await deps.events.newestPlaces(projectId, [...ownerOf.keys()])) {
    const id = ownerOf.get(position.groupHash)
    if (id !== undefined && position.timestampUs >= (newest.get(id)?.timestampUs ?? 0)) newest.set(id, position)
  }
  return ids.flatMap((id): Newest[] => {
    const position = newest.get(id)
    return position ? [{ id, position }] : []
  })
}

/** Returns the project's most similar issues, by their newest events. Empty for an issue without events. */
export async function similarTo(deps: GroupingDeps, issue: Issue): Promise<RestSimilarIssue[]> {
  const { meta, grouping } = deps
  const candidates = await meta.merges.similarCandidates(issue.id, candidatesMax)
  const newest = await newestOf(deps, issue.projectId, [issue.id, ...candidates.map((candidate) => candidate.id)])
  const ownerOf = new Map(newest.map(({ id, position }) => [position.groupHash, id]))
  const positions = newest.map((newestEvent) => newestEvent.position)
  const features = new Map<number, Features>()
  for await (const row of eventsAt(deps, issue.projectId, positions)) {
    const id = ownerOf.get(row.groupHash)
    if (id !== undefined) features.set(id, grouping.featuresOf(normalOf(row)))
  }
  const ownFeatures = features.get(issue.id)
  if (!ownFeatures) return []
  return candidates
    .flatMap((candidate): RestSimilarIssue[] => {
      const there = features.get(candidate.id)
      if (!there) return []
      const like = grouping.likeness(ownFeatures, there)
      if (like.score < similarMin) return []
      const round = (value: number) => Math.round(value * 1000) / 1000
      const { count, lastSeenMs, status } = candidate
      const shown = {
        ...issueName(candidate),
        count: String(count),
        lastSeen: new Date(lastSeenMs).toISOString(),
        status,
      }
      return [{ issue: shown, stack: round(like.stack), message: round(like.message), score: round(like.score) }]
    })
    .sort((a, b) => b.score - a.score)
    .slice(0, similarMax)
}
