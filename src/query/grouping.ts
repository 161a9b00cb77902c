import type {
  RestGroupingInfo,
  RestGroupingPreview,
  RestIssueHash,
  RestIssueName,
  RestPreviewedEvent,
  RestSimilarIssue,
} from '../contract/grouping.ts'
import type { NormalEvent } from '../domain/event.ts'
import type { Features, GroupingInfo, GroupingRules, Likeness } from '../domain/grouping.ts'
import type { SeenEvent } from '../store/events/events.ts'
import type { EventPlace } from '../store/events/newest.ts'
import type { Issue, Project } from '../store/meta/meta.ts'
import { normalOf } from './event.ts'
import type { QueryDeps } from './issue.ts'

/** The stores, and functions of refine that explain a grouping. The App has all of them. */
export type GroupingDeps = QueryDeps & {
  grouping: {
    explain(event: NormalEvent, rules: GroupingRules | undefined): GroupingInfo
    featuresOf(event: NormalEvent): Features
    likeness(a: Features, b: Features): Likeness
  }
}

/** Events that a preview looks at. */
const previewMax = 100
/** Issues that are compared with an issue, hashes of all of them, and the similar issues that are named. */
const candidatesMax = 150
const candidateHashesMax = 20_000
const similarMax = 10
const similarMin = 0.25
/** Hashes of an issue that are counted, listed, and shown with their newest event. */
const countedMax = 5000
const hashesMax = 500
const titledMax = 100
/** Events that are read at once, as one may have a megabyte; ms that a question goes on reading, and until others have a turn. */
const readMax = 20
const readMs = 5000
const turnMs = 10

/** Events at places, a few at a time and not for ever: whoever explains them does so in the process that answers all screens. */
async function* eventsAt(
  { events, clock }: GroupingDeps,
  projectId: number,
  places: readonly EventPlace[],
): AsyncGenerator<SeenEvent> {
  const endMs = clock.now() + readMs
  let turnedMs = clock.now()
  for (let start = 0; start < places.length; start += readMax)
    for (const row of await events.eventsAt(projectId, places.slice(start, start + readMax))) {
      if (clock.now() > endMs) return
      yield row
      if (clock.now() - turnedMs < turnMs) continue
      await clock.sleep(0)
      turnedMs = clock.now()
    }
}

export const issueName = ({ id, shortId, title, culprit }: Issue): RestIssueName => ({
  id: String(id),
  shortId,
  title,
  culprit,
})

const rulesOf = (deps: GroupingDeps, projectId: number): GroupingRules =>
  deps.meta.projectSettings(projectId)?.grouping ?? {}

/** How an event is grouped, by its project's rules of now. */
export function groupingInfoOf(deps: GroupingDeps, row: SeenEvent): RestGroupingInfo {
  const event = normalOf(row)
  const { version, hashes, rule, variants } = deps.grouping.explain(event, rulesOf(deps, row.projectId))
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

/** The rules of now with what is to be tried; another version begins with both keys, as a change-over does. */
function triedOf(now: GroupingRules, tried: GroupingRules): GroupingRules {
  const [from, to] = [now.version ?? 1, tried.version ?? now.version ?? 1]
  return { ...now, ...tried, ...(from === to ? {} : { secondary: from }) }
}

/**
 * What rules would do with a project's newest events if they came again, one by one as a commit takes them: the first hash
 * that is known decides, and all others lead there from then on. Throws VALIDATION for rules that cannot be read, STORE_UNAVAILABLE. */
export async function previewOf(
  deps: GroupingDeps,
  project: Project,
  rules: GroupingRules,
): Promise<RestGroupingPreview> {
  const tried = triedOf(rulesOf(deps, project.id), rules)
  type Explained = Pick<SeenEvent, 'eventId' | 'groupHash'> &
    Pick<RestPreviewedEvent, 'title' | 'rule'> & { hashes: string[] }
  // By id: an event that is being reprocessed may be stored twice.
  const explained = new Map<string, Explained>()
  for await (const row of eventsAt(deps, project.id, await deps.events.lastPlaces(project.id, previewMax))) {
    if (explained.has(row.eventId)) continue
    const { eventId, groupHash } = row
    const event = normalOf(row)
    const { title = event.findings.title, hashes, rule = null } = deps.grouping.explain(event, tried)
    explained.set(eventId, { eventId, groupHash, title, hashes, rule })
  }
  const hashesOfAll = [...new Set([...explained.values()].flatMap(({ groupHash, hashes }) => [groupHash, ...hashes]))]
  const owners = deps.meta.issueIdsOf(hashesOfAll.map((groupHash) => ({ projectId: project.id, groupHash })))
  const ownerOf = (hash: string) => owners.get(`${project.id}:${hash}`)
  const issues = new Map(
    deps.meta.issuesByIds([...new Set(owners.values())]).map((issue) => [issue.id, issueName(issue)]),
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
  const newIssues = new Set(changed.flatMap((item) => (item.kind === 'new' ? [item.hash] : []))).size
  return { looked: events.length, changed: changed.length, newIssues, events: changed }
}

/** Hashes that lead to an issue, those with most events first. Throws STORE_UNAVAILABLE. */
export async function issueHashesOf(deps: GroupingDeps, issue: Issue): Promise<RestIssueHash[]> {
  const known = deps.meta.issueHashes(issue.id).slice(0, countedMax)
  const { projectId } = issue
  const scope = { projectIds: [projectId], environments: [], fromMs: 0, toMs: deps.clock.now() + 86_400_000 }
  const refs = known.map(({ hash: groupHash }) => ({ projectId, groupHash }))
  const countOf = new Map((await deps.events.countsOf(scope, refs)).map((count) => [count.groupHash, count]))
  const eventsOf = ({ hash }: { hash: string }) => countOf.get(hash)?.events ?? 0
  const listed = known.toSorted((a, b) => eventsOf(b) - eventsOf(a)).slice(0, hashesMax)
  const titled = listed.slice(0, titledMax).map((item) => item.hash)
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

type Newest = { id: number; place: EventPlace }

/** Where the newest event of each of these issues stands, in their order; those without events are left out. */
async function newestOf(deps: GroupingDeps, projectId: number, ids: readonly number[]): Promise<Newest[]> {
  const ownerOf = new Map<string, number>()
  // All of an issue's hashes: events are found by those of own code, and which of them those are nobody knows here.
  for (const [id, list] of deps.meta.hashesOf([...ids]))
    for (const hash of list.slice(0, candidateHashesMax - ownerOf.size)) ownerOf.set(hash, id)
  const newest = new Map<number, EventPlace>()
  for (const place of await deps.events.newestPlaces(projectId, [...ownerOf.keys()])) {
    const id = ownerOf.get(place.groupHash)
    if (id !== undefined && place.timestampUs >= (newest.get(id)?.timestampUs ?? 0)) newest.set(id, place)
  }
  return ids.flatMap((id): Newest[] => {
    const place = newest.get(id)
    return place ? [{ id, place }] : []
  })
}

/**
 * Issues of the project that are most similar to an issue, by their newest events. Empty for an issue without events.
 * Throws STORE_UNAVAILABLE.
 */
export async function similarTo(deps: GroupingDeps, issue: Issue): Promise<RestSimilarIssue[]> {
  const { meta, grouping } = deps
  const candidates = meta.similarCandidates(issue.id, candidatesMax)
  const newest = await newestOf(deps, issue.projectId, [issue.id, ...candidates.map((candidate) => candidate.id)])
  const ownerOf = new Map(newest.map(({ id, place }) => [place.groupHash, id]))
  const places = newest.map((item) => item.place)
  const features = new Map<number, Features>()
  for await (const row of eventsAt(deps, issue.projectId, places)) {
    const id = ownerOf.get(row.groupHash)
    if (id !== undefined) features.set(id, grouping.featuresOf(normalOf(row)))
  }
  const here = features.get(issue.id)
  if (!here) return []
  return candidates
    .flatMap((candidate): RestSimilarIssue[] => {
      const there = features.get(candidate.id)
      if (!there) return []
      const like = grouping.likeness(here, there)
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
