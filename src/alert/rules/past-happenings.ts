import { isPerformanceKind } from '../../domain/detectors/detectors.ts'
import { isPriorityRaised } from '../../domain/priority.ts'
import type { RuleBranch } from '../../query/alerts/rule-filter.ts'
import type { QueryDeps } from '../../query/issues/issue.ts'
import type { Filter } from '../../store/events/question.ts'
import type { TriggerKind } from '../../store/meta/alerts/triggers.ts'
import type { Activity, Issue } from '../../store/meta/meta.ts'
import { meetsFilter } from './issue-filter.ts'

type Deps = Pick<QueryDeps, 'events' | 'meta'>
type Range = { fromMs: number; toMs: number }

/** Something that happened to an issue, as the evaluator would have found it. */
export type PastHappening = {
  /** Null: a feedback without an issue, or a release whose first use was no error. */
  issue: Issue | null
  projectId: number
  kinds: Set<TriggerKind>
  /** '': a change by a person or by the clock, or a feedback. */
  eventId: string
  environment: string
  atMs: number
  /** The event behind it is no longer stored, or never was: its environment is unknown. */
  isGone: boolean
}

/** Rows of one kind that are read, the newest. */
const rowsMax = 2000
/** Ids of one statement. */
const idsMax = 500
/** An event can wait so long between receipt and commit, and its own time can be so long before. */
const lagMs = 8 * 86_400_000
/** What happens to an issue in one commit is evaluated together. */
const togetherMs = 5000

const eventIs = (ids: readonly string[]): Filter => ({
  op: 'event',
  of: { op: 'or', of: ids.map((value) => ({ op: 'field', field: 'event_id', match: 'is', value })) },
})

type EventRow = { receivedMs: number; environment: string }

/** Reads the stored events among these ids that meet a condition. */
async function readEvents(
  { events }: Deps,
  projectIds: number[],
  { fromMs, toMs }: Range,
  ids: readonly string[],
  condition?: Filter,
): Promise<Map<string, EventRow>> {
  const found = new Map<string, EventRow>()
  for (let at = 0; at < ids.length; at += idsMax) {
    const rows = await events.groupRows({
      from: 'events',
      scope: { projectIds, environments: [], fromMs: fromMs - lagMs, toMs: toMs + lagMs },
      by: 'received',
      filter: { op: 'and', of: [...(condition ? [condition] : []), eventIs(ids.slice(at, at + idsMax))] },
      withCut: false,
      values: [
        { of: 'id', column: 'event' },
        { of: 'number', column: 'received' },
        { of: 'text', column: 'environment' },
      ],
      aggregates: [{ fn: 'samples' }],
      having: [],
      order: [],
      max: idsMax * 2,
      offset: 0,
    })
    for (const [id, receivedMs, environment] of rows)
      found.set(String(id), { receivedMs: Number(receivedMs), environment: String(environment ?? '') })
  }
  return found
}

const activityTypes = ['first_seen', 'set_regression', 'set_escalating', 'set_priority'] as const

/** The triggers that an activity stands for. Level and priority are those of now. */
function kindsOf({ type, data }: Activity, issue: Issue): TriggerKind[] {
  if (type === 'first_seen') return [isPerformanceKind(issue.kind) ? 'performance' : 'new']
  if (type === 'set_regression') return ['regression']
  if (type === 'set_escalating') {
    const raised = isPriorityRaised({ ...issue, substatus: 'ongoing' }, { ...issue, substatus: 'escalating' })
    return raised ? ['escalation', 'priority'] : ['escalation']
  }
  const { before, priority } = data as { before?: { priority?: string | null }; priority?: string | null }
  const isRaised = isPriorityRaised(
    { ...issue, priority: before?.priority ?? null },
    { ...issue, priority: priority ?? null },
  )
  return isRaised ? ['priority'] : []
}

type Reading = { projectIds: number[]; kinds: ReadonlySet<string>; range: Range }
type Read = { happenings: PastHappening[]; isCut: boolean }

/** What activities tell. The time is that of receipt, which the events store knows; else that of the activity. */
async function ofActivities(deps: Deps, { projectIds, kinds, range }: Reading): Promise<Read> {
  const wanted = activityTypes.filter((type) => {
    if (type === 'first_seen') return kinds.has('new') || kinds.has('performance')
    if (type === 'set_regression') return kinds.has('regression')
    if (type === 'set_escalating') return kinds.has('escalation') || kinds.has('priority')
    return kinds.has('priority')
  })
  const rows = await deps.meta.issues.activitiesBetween({
    projectIds,
    types: wanted,
    // A first event has its own time, which can be long before its receipt.
    fromMs: range.fromMs - lagMs,
    toMs: range.toMs + lagMs,
    max: rowsMax,
  })
  const issues = new Map(
    (await deps.meta.issues.issuesByIds([...new Set(rows.map(({ issueId }) => issueId))])).map((issue) => [
      issue.id,
      issue,
    ]),
  )
  const ids = rows.flatMap(({ data }) => (typeof data.eventId === 'string' ? [data.eventId] : []))
  const stored = await readEvents(deps, projectIds, range, ids)
  const happenings = rows.flatMap((row): PastHappening[] => {
    const issue = issues.get(row.issueId)
    if (!issue) return []
    const eventId = typeof row.data.eventId === 'string' ? row.data.eventId : ''
    const event = stored.get(eventId)
    const atMs = row.type === 'first_seen' ? (event?.receivedMs ?? row.createdMs) : row.createdMs
    const { projectId } = issue
    const own = new Set(kindsOf(row, issue))
    const isGone = eventId !== '' && !event
    return [{ issue, projectId, kinds: own, eventId, environment: event?.environment ?? '', atMs, isGone }]
  })
  return { happenings, isCut: rows.length === rowsMax }
}

/** First uses of releases: by the error that came first, or by something else. */
async function ofReleases(deps: Deps, { projectIds, range }: Reading): Promise<Read> {
  const { meta, events } = deps
  const releases = await meta.issues.releasesOf(projectIds, rowsMax)
  const begun = releases.filter(({ firstEventMs }) => firstEventMs >= range.fromMs - lagMs && firstEventMs < range.toMs)
  const happenings: PastHappening[] = []
  for (const { projectId, version, firstEventMs } of begun) {
    const [row] = await events.groupRows({
      from: 'events',
      scope: { projectIds: [projectId], environments: [], fromMs: firstEventMs - lagMs, toMs: firstEventMs + lagMs },
      by: 'received',
      filter: { op: 'match', value: { of: 'text', column: 'release' }, match: 'is', text: version },
      withCut: false,
      values: [
        { of: 'number', column: 'received' },
        { of: 'id', column: 'event' },
        { of: 'id', column: 'group' },
        { of: 'text', column: 'environment' },
        { of: 'time' },
      ],
      aggregates: [{ fn: 'samples' }],
      having: [],
      order: [{ at: 0, descending: false }],
      max: 1,
      offset: 0,
    })
    const kinds = new Set<TriggerKind>(['first_of_release'])
    const [receivedMs, eventId, groupHash, environment, time] = row ?? []
    // Something that is no error used the release before: a session or a transaction.
    const isError = row !== undefined && Date.parse(String(time)) <= firstEventMs
    const found = isError ? await meta.issues.issueIdsOf([{ projectId, groupHash: String(groupHash) }]) : undefined
    const issue = (await meta.issues.issuesByIds([...(found?.values() ?? [])]))[0] ?? null
    const own = isError
      ? { eventId: String(eventId), environment: String(environment ?? ''), atMs: Number(receivedMs) }
      : { eventId: '', environment: '', atMs: firstEventMs }
    happenings.push({ issue, projectId, kinds, ...own, isGone: !isError })
  }
  return { happenings, isCut: releases.length === rowsMax }
}

async function ofFeedback({ meta }: Deps, { projectIds, range }: Reading): Promise<Read> {
  const rows = await meta.feedback.listFeedback({ projectIds, max: rowsMax })
  const ids = [...new Set(rows.flatMap(({ issueId }) => issueId ?? []))]
  const issues = new Map((await meta.issues.issuesByIds(ids)).map((issue) => [issue.id, issue]))
  const happenings = rows.map(({ issueId, projectId, environment, receivedMs }): PastHappening => {
    const kinds = new Set<TriggerKind>(['feedback'])
    const issue = issues.get(issueId ?? 0) ?? null
    return { issue, projectId, kinds, eventId: '', environment, atMs: receivedMs, isGone: false }
  })
  const isCut = rows.length === rowsMax && (rows.at(-1)?.receivedMs ?? 0) > range.fromMs
  return { happenings, isCut }
}

/** Joins what happened to an issue in one commit. Each feedback is on its own. */
export function joinHappenings(happenings: readonly PastHappening[]): PastHappening[] {
  const joined: PastHappening[] = []
  const last = new Map<number, PastHappening>()
  for (const happening of happenings.toSorted((a, b) => a.atMs - b.atMs)) {
    const { issue, kinds, atMs, eventId } = happening
    const before = issue && !kinds.has('feedback') ? last.get(issue.id) : undefined
    if (before && atMs - before.atMs <= togetherMs) {
      for (const kind of kinds) before.kinds.add(kind)
      if (before.eventId === '') before.eventId = eventId
      continue
    }
    const own = { ...happening, kinds: new Set(kinds) }
    joined.push(own)
    if (issue && !kinds.has('feedback')) last.set(issue.id, own)
  }
  return joined
}

/** What happened in a range that a rule looks at, the oldest first. */
export type PastHappenings = {
  happenings: PastHappening[]
  /** There was more than is read: older rows are left out. */
  isCut: boolean
}

/** Reads what happened to issues in a range. Throws QUERY_TIMEOUT, STORE_UNAVAILABLE. */
export async function readHappenings(deps: Deps, reading: Reading): Promise<PastHappenings> {
  const { kinds, range } = reading
  const isOfIssues = ['new', 'performance', 'regression', 'escalation', 'priority'].some((kind) => kinds.has(kind))
  const parts = [
    ...(isOfIssues ? [await ofActivities(deps, reading)] : []),
    ...(kinds.has('first_of_release') ? [await ofReleases(deps, reading)] : []),
    ...(kinds.has('feedback') ? [await ofFeedback(deps, reading)] : []),
  ]
  const wanted = parts
    .flatMap(({ happenings }) => happenings)
    .filter(
      ({ atMs, kinds: own }) => atMs > range.fromMs && atMs <= range.toMs && [...own].some((kind) => kinds.has(kind)),
    )
  return {
    happenings: wanted.toSorted((a, b) => a.atMs - b.atMs).slice(-rowsMax),
    isCut: parts.some(({ isCut }) => isCut) || wanted.length > rowsMax,
  }
}

/** The happenings that meet the filter of a rule, asked in bulk with the rules of `meetsFilter`. */
export async function fittingHappenings(
  deps: Deps,
  branches: readonly RuleBranch[],
  happenings: readonly PastHappening[],
  range: Range,
): Promise<Set<PastHappening>> {
  const fitting = new Set<PastHappening>()
  for (const branch of branches) {
    const own = happenings.filter(({ projectId }) => branch.projectIds.includes(projectId))
    const issueIds = [...new Set(own.flatMap(({ issue }) => issue?.id ?? []))]
    const issues = branch.issue && (await deps.meta.issues.issueStarts(issueIds, branch.issue))
    const ids = branch.event ? own.flatMap(({ eventId }) => (eventId === '' ? [] : [eventId])) : []
    const events = await readEvents(deps, branch.projectIds, range, ids, branch.event)
    for (const happening of own) {
      const { issue, projectId, eventId, atMs } = happening
      if (fitting.has(happening) || (issues && !(issue && issues.has(issue.id)))) continue
      const subject = { issueId: issue?.id ?? null, projectId, eventId, atMs }
      const fits = !branch.event || (eventId === '' ? await meetsFilter(deps, [branch], subject) : events.has(eventId))
      if (fits) fitting.add(happening)
    }
  }
  return fitting
}
