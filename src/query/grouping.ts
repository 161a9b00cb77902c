import { MishapError } from '../errors.ts'
import type { NormalEvent } from '../protocol/event.ts'
import type { Features, GroupingInfo, GroupingRules, Likeness } from '../protocol/grouping.ts'
import type {
  RestGroupingInfo,
  RestGroupingPreview,
  RestIssueHash,
  RestIssueName,
  RestPreviewedEvent,
  RestSimilarIssue,
} from '../protocol/rest-grouping.ts'
import type { SeenEvent } from '../store/events/events.ts'
import type { Issue, Project } from '../store/meta/meta.ts'
import { normalOf } from './event.ts'
import type { QueryDeps } from './issue.ts'

/** What is asked here beside the stores: refine's own functions; App fits. */
export type GroupingDeps = QueryDeps & {
  grouping: {
    explain(event: NormalEvent, rules: GroupingRules | undefined): GroupingInfo
    featuresOf(event: NormalEvent): Features
    likeness(a: Features, b: Features): Likeness
  }
}

/** Events that a preview looks at. */
export const previewMax = 100
/** Issues that are compared with one, hashes of them, and those that are named. */
const candidatesMax = 150
const hashesPerCandidate = 5
const similarMax = 10
const similarMin = 0.25
/** Hashes of an issue that are told of with their counts. */
const hashesMax = 500

export const issueName = ({ id, shortId, title, culprit }: Issue): RestIssueName => ({
  id: String(id),
  ...{ shortId, title, culprit },
})

const rulesOf = (deps: GroupingDeps, projectId: number): GroupingRules =>
  deps.meta.projectSettings(projectId)?.grouping ?? {}

/** How an event is grouped, by its project's rules of now. */
export function groupingInfoOf(deps: GroupingDeps, row: SeenEvent): RestGroupingInfo {
  const event = normalOf(row)
  const { version, hashes, rule, variants } = deps.grouping.explain(event, rulesOf(deps, row.projectId))
  return {
    ...{ version, hashes, storedHashes: row.hashes },
    ...{ rule: rule ?? null, storedRule: event.findings.grouping.rule ?? null },
    variants: variants.map(({ name, contributes, hint, hash, why, component }) => ({
      ...{ name, contributes, why, component },
      ...{ hint: hint ?? null, hash: hash ?? null },
    })),
  }
}

/** What rules would do with a project's newest events, one by one. Throws VALIDATION for rules that cannot be read, STORE_UNAVAILABLE. */
export async function previewOf(
  deps: GroupingDeps,
  project: Project,
  rules: GroupingRules,
): Promise<RestGroupingPreview> {
  const rows = await deps.events.newestOf(project.id, previewMax)
  const now = rulesOf(deps, project.id)
  const explained = rows.map((row) => {
    const event = normalOf(row)
    return { row, event, after: deps.grouping.explain(event, { ...now, ...rules }) }
  })
  const asked = [...new Set(explained.flatMap(({ row, after }) => [row.groupHash, ...after.hashes]))]
  const owners = deps.meta.issueIdsOf(asked.map((groupHash) => ({ projectId: project.id, groupHash })))
  const ownerOf = (hash: string) => owners.get(`${project.id}:${hash}`)
  const issues = new Map(deps.meta.issuesByIds([...new Set(owners.values())]).map((one) => [one.id, issueName(one)]))
  const nameOf = (id: number | undefined) => (id === undefined ? null : (issues.get(id) ?? null))
  const events = explained.map(({ row, event, after }): RestPreviewedEvent => {
    const from = ownerOf(row.groupHash)
    const to = after.hashes.map(ownerOf).find((id) => id !== undefined)
    const kind = to === undefined ? 'new' : to === from ? 'same' : 'issue'
    return {
      ...{ eventID: row.eventId, title: after.title ?? event.findings.title, issue: nameOf(from), kind },
      ...{ to: kind === 'issue' ? nameOf(to) : null, hash: after.hashes[0] ?? '', rule: after.rule ?? null },
    }
  })
  const changed = events.filter((one) => one.kind !== 'same')
  const newIssues = new Set(changed.flatMap((one) => (one.kind === 'new' ? [one.hash] : []))).size
  return { looked: events.length, changed: changed.length, newIssues, events: changed }
}

/** Hashes that lead to an issue, those with most events first. Throws STORE_UNAVAILABLE. */
export async function issueHashesOf(deps: GroupingDeps, issue: Issue): Promise<RestIssueHash[]> {
  const all = deps.meta.issueHashes(issue.id).slice(0, hashesMax)
  const { projectId } = issue
  const scope = { projectIds: [projectId], environments: [], fromMs: 0, toMs: deps.clock.now() + 86_400_000 }
  const refs = all.map(({ hash: groupHash }) => ({ projectId, groupHash }))
  const [counts, newest] = await Promise.all([
    deps.events.countsOf(scope, refs),
    deps.events.newestOfGroups(
      projectId,
      all.slice(0, 100).map((one) => one.hash),
    ),
  ])
  const countOf = new Map(counts.map((one) => [one.groupHash, one]))
  const eventOf = new Map(newest.map((one) => [one.groupHash, one]))
  return all
    .map(({ hash, mergedFrom }): RestIssueHash => {
      const [count, event] = [countOf.get(hash), eventOf.get(hash)]
      return {
        ...{ id: hash, mergedFrom, events: count?.events ?? 0 },
        lastSeen: count ? new Date(count.lastMs).toISOString() : null,
        latestEvent: event ? { eventID: event.eventId, title: normalOf(event).findings.title } : null,
      }
    })
    .sort((a, b) => b.events - a.events)
}

/** Issues of the project that are most like one, by their newest events. Throws NOT_FOUND for an issue without events, STORE_UNAVAILABLE. */
export async function similarTo(deps: GroupingDeps, issue: Issue): Promise<RestSimilarIssue[]> {
  const { meta, events, grouping } = deps
  const candidates = meta.similarCandidates(issue.id, candidatesMax)
  const hashes = meta.hashesOf([issue.id, ...candidates.map((one) => one.id)])
  const asked = [...hashes.values()].flatMap((list) => list.slice(0, hashesPerCandidate))
  const rows = await events.newestOfGroups(issue.projectId, asked)
  const newestOf = (id: number) => {
    const own = new Set(hashes.get(id))
    return rows.filter((row) => own.has(row.groupHash)).sort((a, b) => b.timestampUs - a.timestampUs)[0]
  }
  const here = newestOf(issue.id)
  if (!here) throw new MishapError('NOT_FOUND')
  const features = grouping.featuresOf(normalOf(here))
  return candidates
    .flatMap((one): RestSimilarIssue[] => {
      const row = newestOf(one.id)
      if (!row) return []
      const like = grouping.likeness(features, grouping.featuresOf(normalOf(row)))
      if (like.score < similarMin) return []
      const round = (value: number) => Math.round(value * 1000) / 1000
      const { count, lastSeenMs, status } = one
      const shown = { ...issueName(one), count: String(count), lastSeen: new Date(lastSeenMs).toISOString(), status }
      return [{ issue: shown, stack: round(like.stack), message: round(like.message), score: round(like.score) }]
    })
    .sort((a, b) => b.score - a.score)
    .slice(0, similarMax)
}
