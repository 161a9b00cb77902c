import { isPerformanceKind } from '../../../domain/detectors/detectors.ts'
import type { Limits } from '../../../domain/issue-states.ts'
import { isPriorityRaised } from '../../../domain/priority.ts'
import type { TriggerKind } from '../alerts/triggers.ts'
import type { AlertKind } from '../issues/alerts.ts'
import {
  afterOf,
  beginIssue,
  countEvent,
  type IssueContext,
  type IssueRow,
  isNext,
  latestTexts,
  settleNext,
} from '../issues/issue-state.ts'
import type { BatchEffects, EventEffect } from '../meta.ts'
import { issueContextOf, type ReleaseTimes, releaseKey } from '../releases/release-transitions.ts'
import type { Assigned, NewIssue } from './batch-issues.ts'
import type { ProjectRow } from './batch-statements.ts'

/** First and last use of a release or an environment of a project, in ms. */
type Span = { project: ProjectRow; name: string; firstMs: number; lastMs: number }

/** What issue rules are evaluated for. `issue` is undefined for the first use of a release without an event. */
type WorkTrigger = {
  kind: TriggerKind
  project: ProjectRow
  issue: WorkIssue | undefined
  eventId: string
  environment: string
  release: string
}

/** An issue with the changes of a batch. The id of a new issue is 0 until it is inserted. */
export type WorkIssue = {
  row: IssueRow
  events: number
  isNew: boolean
  regressed: boolean
  /** The alert to send and its event; '' for none. */
  alert: AlertKind | ''
  alertEventId: string
  latest?: EventEffect
  /** The latest event of each digest. */
  digests: Map<string, EventEffect>
}

/** Stored state that the events of a batch are evaluated with. */
export type LoadedState = {
  nowMs: number
  projects: ReadonlyMap<number, ProjectRow>
  /** Issues that events or new releases of this batch can change. */
  rows: ReadonlyMap<number, IssueRow>
  shortIds: ReadonlyMap<NewIssue, string>
  times: ReleaseTimes
  /** Releases with an event, a transaction or a session. Others were only created. */
  usedReleases: ReadonlySet<string>
  /** Issues of a project that wait for its next release, by the release it must follow. */
  awaiting: ReadonlyMap<number, ReadonlyMap<string, readonly number[]>>
  limits: ReadonlyMap<number, Limits>
}

type WorkActivity = { issue: WorkIssue; type: string; createdMs: number; data: string }

/** The gathered changes of one batch before they are written: each issue, release and digest once. */
export type Work = {
  /** In the order of their first change. */
  issues: Map<number | NewIssue, WorkIssue>
  activities: WorkActivity[]
  releases: Map<string, Span>
  environments: Map<string, Span>
  /** Named `${release}\n${environment}`, because neither can contain a line break. */
  releaseEnvironments: Map<string, Span>
  firstEvents: Map<number, number>
  keysUsed: Map<number, number>
  triggers: WorkTrigger[]
}

type State = Work & {
  loaded: LoadedState
  contexts: Map<number, IssueContext>
  awaiting: Map<number, Map<string, readonly number[]>>
}

function widen(
  spans: Map<string, Span>,
  name: string,
  project: ProjectRow,
  atMs: number,
  key = releaseKey(project.id, name),
): void {
  if (name === '') return
  const span = spans.get(key)
  if (!span) spans.set(key, { project, name, firstMs: atMs, lastMs: atMs })
  else {
    span.firstMs = Math.min(span.firstMs, atMs)
    span.lastMs = Math.max(span.lastMs, atMs)
  }
}

const newIssueWork = (row: IssueRow, isNew: boolean): WorkIssue => ({
  row,
  events: 0,
  isNew,
  regressed: false,
  alert: '',
  alertEventId: '',
  digests: new Map(),
})

/** Returns the issue with the changes of this batch so far. */
function workIssue({ issues, loaded }: State, id: number): WorkIssue {
  const cached = issues.get(id)
  if (cached) return cached
  const row = loaded.rows.get(id)
  if (!row) throw new Error(`fingerprint names issue ${id}, which is not there`)
  // A copy, because the stored row decides which columns are written.
  const issue = newIssueWork({ ...row }, false)
  issues.set(id, issue)
  return issue
}

const triggerOf = ({ eventId, environment, release }: EventEffect) => ({ eventId, environment, release })

function createdIssue({ issues, activities, loaded, triggers }: State, created: NewIssue): WorkIssue {
  const cached = issues.get(created)
  if (cached) return cached
  const { effect, project } = created
  const shortId = loaded.shortIds.get(created)
  if (shortId === undefined) throw new Error(`no short id was taken for event ${effect.eventId}`)
  const row = { id: 0, ...beginIssue(effect, project.organization_id, shortId, loaded.nowMs) }
  const issue = newIssueWork(row, true)
  Object.assign(issue, { alert: 'new', alertEventId: effect.eventId })
  const data = JSON.stringify({ eventId: effect.eventId })
  activities.push({ issue, type: 'first_seen', createdMs: effect.timestampMs, data })
  issues.set(created, issue)
  const kind = isPerformanceKind(effect.kind) ? 'performance' : 'new'
  triggers.push({ kind, project, issue, ...triggerOf(effect) })
  return issue
}

function contextOf({ contexts, releases, loaded }: State, projectId: number): IssueContext {
  const cached = contexts.get(projectId)
  if (cached) return cached
  const context = issueContextOf({ projectId, ...loaded }, (version) => releases.has(releaseKey(projectId, version)))
  contexts.set(projectId, context)
  return context
}

/**
 * Resolves the issues that wait for the next release when an event names a new release. Returns whether this is the first
 * use of the release; a build can have created it before.
 */
function recordRelease(
  state: State,
  project: ProjectRow,
  { release: version, timestampMs }: Pick<EventEffect, 'release' | 'timestampMs'>,
): boolean {
  if (version === '') return false
  const key = releaseKey(project.id, version)
  const isNew = !state.releases.has(key) && !state.loaded.times.has(key)
  const isFirst = !state.releases.has(key) && !state.loaded.usedReleases.has(key)
  widen(state.releases, version, project, timestampMs, key)
  const waiting = isNew ? state.awaiting.get(project.id) : undefined
  if (!waiting) return isFirst
  const context = contextOf(state, project.id)
  const data = JSON.stringify({ version, reason: 'next_release' })
  for (const [after, ids] of waiting) {
    // Skip issues that continue to wait: they would be written and announced without a change.
    if (!isNext(version, after, context)) continue
    waiting.delete(after)
    for (const id of ids) {
      const issue = workIssue(state, id)
      if (!settleNext(issue.row, version, context)) continue
      state.activities.push({ issue, type: 'set_resolved_in_release', createdMs: state.loaded.nowMs, data })
    }
  }
  return isFirst
}

function recordEnvironment(
  { environments, releaseEnvironments }: Work,
  project: ProjectRow,
  { release, environment, timestampMs }: Pick<EventEffect, 'release' | 'environment' | 'timestampMs'>,
): void {
  widen(environments, environment, project, timestampMs)
  if (release !== '' && environment !== '')
    widen(releaseEnvironments, `${release}\n${environment}`, project, timestampMs)
}

/** Counts one event into its issue. */
function apply(state: State, { effect, project, target }: Assigned): void {
  const isFirst = recordRelease(state, project, effect)
  const issue = typeof target === 'number' ? workIssue(state, target) : createdIssue(state, target)
  if (isFirst) state.triggers.push({ kind: 'first_of_release', project, issue, ...triggerOf(effect) })
  issue.events += 1
  if (effect.timestampMs >= issue.row.last_seen_ms) issue.latest = effect
  const stateChange = countEvent(issue.row, effect, contextOf(state, project.id))
  if (stateChange) {
    issue.regressed ||= stateChange.type === 'set_regression'
    // A new or regressed issue is more important than an escalation.
    if (issue.alert === '') Object.assign(issue, { alert: stateChange.alert, alertEventId: effect.eventId })
    state.triggers.push({ kind: stateChange.alert, project, issue, ...triggerOf(effect) })
    const data = JSON.stringify(stateChange.data)
    state.activities.push({ issue, type: stateChange.type, createdMs: state.loaded.nowMs, data })
  }
  recordEnvironment(state, project, effect)
  if (effect.digest !== '') {
    const before = issue.digests.get(effect.digest)
    if (!before || before.timestampMs <= effect.timestampMs) issue.digests.set(effect.digest, effect)
  }
  const { receivedMs } = effect
  // The first event of a project is one that an application sent.
  if (project.first_event_ms === null && !isPerformanceKind(effect.kind))
    state.firstEvents.set(project.id, Math.min(receivedMs, state.firstEvents.get(project.id) ?? receivedMs))
  state.keysUsed.set(effect.keyId, Math.max(receivedMs, state.keysUsed.get(effect.keyId) ?? 0))
}

/** Computes the changes of a batch in the order of its events. Then come releases in use without events. */
export function workOf(
  loaded: LoadedState,
  assigned: readonly Assigned[],
  uses: NonNullable<BatchEffects['releases']>,
): Work {
  const state: State = {
    loaded,
    contexts: new Map(),
    awaiting: new Map([...loaded.awaiting].map(([projectId, groups]) => [projectId, new Map(groups)])),
    issues: new Map(),
    activities: [],
    releases: new Map(),
    environments: new Map(),
    releaseEnvironments: new Map(),
    firstEvents: new Map(),
    keysUsed: new Map(),
    triggers: [],
  }
  for (const event of assigned) apply(state, event)
  for (const { projectId, firstMs, lastMs, ...names } of uses) {
    const project = loaded.projects.get(projectId)
    if (!project) continue
    for (const timestampMs of new Set([firstMs, lastMs])) {
      const isFirst = recordRelease(state, project, { ...names, timestampMs })
      const { release, environment } = names
      const trigger = { project, issue: undefined, eventId: '', environment, release }
      if (isFirst) state.triggers.push({ kind: 'first_of_release', ...trigger })
      recordEnvironment(state, project, { ...names, timestampMs })
    }
  }
  for (const issue of state.issues.values()) {
    const { row, latest } = issue
    if (latest) Object.assign(row, latestTexts(latest))
    const before = loaded.rows.get(row.id)
    const project = loaded.projects.get(row.project_id)
    if (project && before && latest && isPriorityRaised(before, row))
      state.triggers.push({ kind: 'priority', project, issue, ...triggerOf(latest) })
  }
  return state
}

/** Groups issues that wait for the next release by project and by the release that it must follow. */
export function awaitingGroups(
  rows: readonly { project_id: number; id: number; status_details: string }[],
): Map<number, Map<string, number[]>> {
  const projects = Map.groupBy(rows, (row) => row.project_id)
  return new Map(
    [...projects].map(([projectId, own]) => [
      projectId,
      new Map([...Map.groupBy(own, afterOf)].map(([after, group]) => [after, group.map((row) => row.id)])),
    ]),
  )
}
