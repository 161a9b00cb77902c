import { floors } from '../../../domain/issue-states.ts'
import { type IssueRow, isNext, tenMinuteCount } from '../issues/issue-state.ts'
import type { BatchEffects } from '../meta.ts'
import {
  comparedReleases,
  issueContextOf,
  limitsOf,
  type ReleaseTimes,
  releaseKey,
  releaseTimesOf,
} from '../releases/release-transitions.ts'
import { type Assigned, assignIssues, fingerprintKey, type NewIssue } from './batch-issues.ts'
import type { BatchStatements, ProjectRow } from './batch-statements.ts'
import { awaitingGroups, type LoadedState } from './batch-work.ts'

const ids = (list: Iterable<number>) => [...new Set(list)].map((id) => ({ id }))

/** Loads the projects that a batch names. Deleted ones are absent. */
async function loadProjects(
  statements: BatchStatements,
  { events, releases = [], feedback = [], samples = [] }: BatchEffects,
): Promise<Map<number, ProjectRow>> {
  const named = [...events, ...releases, ...feedback.map((effect) => effect.row), ...samples]
  const rows = await statements.projects.all(ids(named.map((item) => item.projectId)))
  return new Map(rows.map((row) => [row.id, row]))
}

/** Loads the issues of all hashes that a batch names. */
async function loadFingerprints(
  statements: BatchStatements,
  events: BatchEffects['events'],
): Promise<Map<string, number>> {
  const hashes = new Map<string, { project_id: number; hash: string }>()
  for (const { projectId, hashes: own } of events)
    for (const hash of own) hashes.set(fingerprintKey(projectId, hash), { project_id: projectId, hash })
  const rows = await statements.fingerprints.all([...hashes.values()])
  return new Map(rows.map((row) => [fingerprintKey(row.project_id, row.hash), row.issue_id]))
}

/** Takes the short ids of new issues, in their order. */
async function takeShortIds(statements: BatchStatements, created: readonly NewIssue[]): Promise<Map<NewIssue, string>> {
  const prefixOf = ({ project }: NewIssue) => project.slug.toUpperCase()
  const keyOf = (organizationId: number, prefix: string) => `${organizationId} ${prefix}`
  const groups = Map.groupBy(created, (issue) => keyOf(issue.project.organization_id, prefixOf(issue)))
  const wanted = [...groups.values()].flatMap(([first, ...others]) =>
    first ? { organization_id: first.project.organization_id, prefix: prefixOf(first), last: others.length + 1 } : [],
  )
  const shortIds = new Map<NewIssue, string>()
  for (const { organization_id, prefix, last } of await statements.shortIds.all(wanted)) {
    const group = groups.get(keyOf(organization_id, prefix)) ?? []
    for (const [at, issue] of group.entries()) shortIds.set(issue, `${prefix}-${last - group.length + at + 1}`)
  }
  return shortIds
}

async function loadIssues(statements: BatchStatements, rows: Map<number, IssueRow>, issueIds: Iterable<number>) {
  const unknown = [...new Set(issueIds)].filter((id) => !rows.has(id))
  for (const row of await statements.issues.all(ids(unknown))) rows.set(row.id, row)
}

type Named = { organization_id: number; project_id: number; version: string }

/** The releases that a batch names in projects that exist. */
function namedReleases(projects: ReadonlyMap<number, ProjectRow>, { events, releases = [] }: BatchEffects): Named[] {
  return [...events, ...releases].flatMap(({ projectId, release }) => {
    const project = projects.get(projectId)
    return project && release !== ''
      ? { organization_id: project.organization_id, project_id: projectId, version: release }
      : []
  })
}

/**
 * Returns the waiting issues that a new release of their project can resolve. An order of the events in which the
 * release they follow is named later is possible, so both orders count.
 */
function settlingIssues(
  created: readonly Named[],
  awaiting: LoadedState['awaiting'],
  times: ReleaseTimes,
  nowMs: number,
) {
  const found = new Set<number>()
  for (const { project_id: projectId, version } of created) {
    const contexts = [() => true, (other: string) => other === version].map((isInBatch) =>
      issueContextOf({ projectId, nowMs, times }, isInBatch),
    )
    for (const [after, waiting] of awaiting.get(projectId) ?? [])
      if (contexts.some((context) => isNext(version, after, context))) for (const id of waiting) found.add(id)
  }
  return found
}

/** Loads the state that new releases of a batch change: waiting issues, and the releases that they must follow. */
async function loadAwaiting(
  statements: BatchStatements,
  named: readonly Named[],
  times: ReleaseTimes,
  nowMs: number,
): Promise<{ awaiting: LoadedState['awaiting']; settling: Set<number> }> {
  const unknown = named.filter(({ project_id, version }) => !times.has(releaseKey(project_id, version)))
  const created = [...new Map(unknown.map((item) => [releaseKey(item.project_id, item.version), item])).values()]
  const awaiting = awaitingGroups(await statements.awaiting.all(ids(created.map((item) => item.project_id))))
  const organizations = new Map(created.map((item) => [item.project_id, item.organization_id]))
  const followed = [...awaiting].flatMap(([project_id, groups]) =>
    [...groups.keys()]
      .filter((version) => version !== '' && !times.has(releaseKey(project_id, version)))
      .map((version) => ({ organization_id: organizations.get(project_id) ?? 0, project_id, version })),
  )
  for (const [key, ms] of await releaseTimesOf(statements, followed)) times.set(key, ms)
  return { awaiting, settling: settlingIssues(created, awaiting, times, nowMs) }
}

/** Loads the forecasts of issues that can have enough events for an escalation after this batch. */
function loadLimits(statements: BatchStatements, rows: ReadonlyMap<number, IssueRow>, assigned: readonly Assigned[]) {
  const events = new Map<number, number>()
  for (const { target } of assigned) if (typeof target === 'number') events.set(target, (events.get(target) ?? 0) + 1)
  const frequent = [...events].filter(([id, count]) => {
    const row = rows.get(id)
    return row && (tenMinuteCount(row) + count > floors.ten || row.hour_count + count > floors.hour)
  })
  return limitsOf(
    statements,
    frequent.map(([id]) => id),
  )
}

/** Assigns events to issues, and loads all state that they are evaluated with. Takes the short ids of new issues. */
export async function loadBatch(statements: BatchStatements, effects: BatchEffects, nowMs: number) {
  const projects = await loadProjects(statements, effects)
  const { assigned, created, hashes } = assignIssues(
    effects.events,
    projects,
    await loadFingerprints(statements, effects.events),
  )
  const shortIds = await takeShortIds(statements, created)
  const rows = new Map<number, IssueRow>()
  await loadIssues(
    statements,
    rows,
    assigned.flatMap(({ target }) => (typeof target === 'number' ? target : [])),
  )
  const named = namedReleases(projects, effects)
  const usedReleases = new Set<string>()
  const compared = [...rows.values()].flatMap(comparedReleases)
  const times = await releaseTimesOf(statements, [...named, ...compared], usedReleases)
  const { awaiting, settling } = await loadAwaiting(statements, named, times, nowMs)
  await loadIssues(statements, rows, settling)
  const limits = await loadLimits(statements, rows, assigned)
  const loaded: LoadedState = { nowMs, projects, rows, shortIds, times, usedReleases, awaiting, limits }
  return { loaded, assigned, hashes }
}
