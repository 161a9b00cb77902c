import type {
  RestIncident,
  RestIncidentDetails,
  RestMute,
  RestOnCallSchedule,
} from '../../contract/alerts/incidents.ts'
import { alertReasonCode } from '../../domain/alerts/alert-reasons.ts'
import { onCallAt, type Shift, shiftsBetween } from '../../domain/alerts/on-call.ts'
import type { Incident, IncidentFilter } from '../../store/meta/alerts/incidents.ts'
import type { Mute } from '../../store/meta/alerts/mutes.ts'
import type { OnCallOverride, OnCallSchedule } from '../../store/meta/alerts/on-call.ts'
import type { MetaStore } from '../../store/meta/meta-store.ts'
import { type Page, pageByOffset, readCursor } from '../cursor.ts'

type Deps = { meta: MetaStore }
type RestPerson = { id: string; name: string; email: string }

const membersMax = 100
const activitiesMax = 200
const messagesMax = 100
/** How far a schedule is shown ahead. */
const aheadMs = 28 * 86_400_000

const iso = (ms: number): string => new Date(ms).toISOString()
const isoOrNull = (ms: number | null): string | null => (ms === null ? null : iso(ms))

/** People by id, as the API names them. */
async function peopleOf({ meta }: Deps, ids: Iterable<string | null>): Promise<Map<string, RestPerson>> {
  const known = [...new Set(ids)].filter((id): id is string => id !== null)
  const people = known.length > 0 ? await meta.people.people(known) : []
  return new Map(people.map(({ id, name, email }) => [id, { id, name, email }]))
}

const personIn = (people: ReadonlyMap<string, RestPerson>, id: string | null): RestPerson | null =>
  id === null ? null : (people.get(id) ?? null)

/** Converts incidents of one organization to the API's shape. */
async function toRestIncidents(
  deps: Deps,
  organizationId: number,
  incidents: readonly Incident[],
): Promise<RestIncident[]> {
  const slugs = new Map((await deps.meta.projects.projectsOf(organizationId)).map(({ id, slug }) => [id, slug]))
  const people = await peopleOf(
    deps,
    incidents.map(({ acknowledgedBy }) => acknowledgedBy),
  )
  return incidents.map((incident) => ({
    id: String(incident.id),
    title: incident.title,
    status: incident.state,
    level: incident.level,
    peak: incident.peak,
    projects: incident.projectIds.flatMap((id) => slugs.get(id) ?? []),
    release: incident.release,
    dateStarted: iso(incident.startedMs),
    dateChanged: iso(incident.changedMs),
    dateEnded: isoOrNull(incident.endedMs),
    acknowledgedBy: personIn(people, incident.acknowledgedBy),
    dateAcknowledged: isoOrNull(incident.acknowledgedMs),
    snoozedUntil: isoOrNull(incident.snoozedUntilMs),
  }))
}

/** Returns a page of the incidents of an organization, newest first. */
export async function incidentsPage(
  deps: Deps,
  filter: IncidentFilter,
  { cursor, limit }: { cursor: string | undefined; limit: number },
): Promise<Page<RestIncident>> {
  const { offset } = readCursor(cursor)
  const found = await deps.meta.incidents.listIncidents({ ...filter, offset }, limit + 1)
  const rows = await toRestIncidents(deps, filter.organizationId, found.slice(0, limit))
  return pageByOffset(rows, offset, limit, found.length > limit)
}

async function restMembers(deps: Deps, incident: Incident) {
  const { members, open, total } = await deps.meta.incidents.incidentMembersOf(incident.id, membersMax)
  const issueIds = [...new Set(members.map(({ issueId }) => issueId))].filter((id) => id !== 0)
  const issues = issueIds.length > 0 ? await deps.meta.issues.issuesByIds(issueIds) : []
  const byId = new Map(issues.map((issue) => [issue.id, issue]))
  const rules = new Map<number, string>()
  for (const id of new Set(members.map(({ ruleId }) => ruleId))) {
    const rule = await deps.meta.alertRules.alertRuleById(id)
    if (rule) rules.set(id, rule.name)
  }
  return {
    members: members.map(({ ruleId, issueId, level, openedMs, endedMs, value, threshold, sentence, group }) => {
      const issue = byId.get(issueId)
      const name = rules.get(ruleId)
      return {
        rule: name === undefined ? null : { id: String(ruleId), name },
        issue: issue ? { id: String(issue.id), shortId: issue.shortId, title: issue.title } : null,
        group: group?.name ?? null,
        level,
        dateOpened: iso(openedMs),
        dateEnded: isoOrNull(endedMs),
        value,
        threshold,
        sentence,
      }
    }),
    membersOpen: open,
    membersTotal: total,
  }
}

async function restMessages(deps: Deps, incident: Incident): Promise<RestIncidentDetails['messages']> {
  const { organizationId, id } = incident
  const log = await deps.meta.alerts.listDeliveries({ organizationId, incidentId: id }, messagesMax)
  const channels = new Map((await deps.meta.alerts.channelsOf(organizationId)).map((row) => [row.id, row.name]))
  const people = await peopleOf(
    deps,
    log.map(({ userId }) => userId),
  )
  return log.map(({ id: deliveryId, channelId, userId, recipient, change, status, error, createdMs }) => ({
    id: String(deliveryId),
    receiver: channels.get(channelId ?? 0) ?? personIn(people, userId)?.name ?? recipient,
    change,
    status,
    error,
    errorCode: alertReasonCode(error) ?? null,
    dateCreated: iso(createdMs),
  }))
}

/** Returns an incident with its members, its history and its messages. */
export async function incidentDetails(deps: Deps, incident: Incident): Promise<RestIncidentDetails | undefined> {
  const [rest] = await toRestIncidents(deps, incident.organizationId, [incident])
  if (!rest) return undefined
  const activities = await deps.meta.incidents.incidentActivitiesOf(incident.id, activitiesMax)
  const people = await peopleOf(
    deps,
    activities.flatMap(({ userId, data }) => [userId, typeof data.to === 'string' ? data.to : null]),
  )
  return {
    ...rest,
    ...(await restMembers(deps, incident)),
    activity: activities.map(({ id, kind, atMs, userId, data }) => ({
      id: String(id),
      type: kind,
      date: iso(atMs),
      person: personIn(people, userId),
      data:
        kind === 'escalated' && typeof data.to === 'string' ? { ...data, to: people.get(data.to)?.name ?? null } : data,
    })),
    messages: await restMessages(deps, incident),
  }
}

async function targetName({ meta }: Deps, { kind, targetId }: Mute): Promise<string> {
  if (kind === 'organization') return ''
  if (kind === 'rule') return (await meta.alertRules.alertRuleById(targetId))?.name ?? ''
  if (kind === 'issue') return (await meta.issues.issueById(targetId))?.shortId ?? ''
  return (await meta.projects.projectById(targetId))?.slug ?? ''
}

/** Converts mutes to the API's shape. */
export async function toRestMutes(deps: Deps, mutes: readonly Mute[], nowMs: number): Promise<RestMute[]> {
  const people = await peopleOf(
    deps,
    mutes.map(({ userId }) => userId),
  )
  return Array.fromAsync(mutes, async (mute) => ({
    id: String(mute.id),
    kind: mute.kind,
    target: mute.kind === 'organization' ? null : String(mute.targetId),
    targetName: await targetName(deps, mute),
    name: mute.name,
    start: iso(mute.fromMs),
    end: isoOrNull(mute.toMs),
    isActive: mute.fromMs <= nowMs && (mute.toMs === null || mute.toMs > nowMs),
    createdBy: personIn(people, mute.userId),
    dateCreated: iso(mute.createdMs),
  }))
}

const byStart = (a: OnCallOverride, b: OnCallOverride): number => a.fromMs - b.fromMs || a.id - b.id

/** Converts on-call schedules to the API's shape, with who is on call now and in the next weeks. */
export async function toRestSchedules(
  deps: Deps,
  schedules: readonly OnCallSchedule[],
  nowMs: number,
): Promise<RestOnCallSchedule[]> {
  const ids = schedules.map(({ id }) => id)
  const overrides = ids.length > 0 ? await deps.meta.incidents.overridesOf(ids, nowMs) : []
  const people = await peopleOf(deps, [
    ...schedules.flatMap(({ members }) => members),
    ...overrides.map(({ userId }) => userId),
  ])
  const toShift = ({ userId, fromMs, toMs, isOverride }: Shift) => ({
    person: personIn(people, userId),
    start: iso(fromMs),
    end: iso(toMs),
    isOverride,
  })
  return schedules.map((schedule) => {
    const own = overrides.filter(({ scheduleId }) => scheduleId === schedule.id)
    const now = onCallAt(schedule, own, nowMs)
    return {
      id: String(schedule.id),
      name: schedule.name,
      timeZone: schedule.timeZone,
      handOverDay: schedule.handOverDay,
      handOverTime: schedule.handOverTime,
      startDate: schedule.startDate,
      members: schedule.members.flatMap((id) => people.get(id) ?? []),
      holes: schedule.members.filter((id) => !people.has(id)).length,
      onCall: now ? { person: personIn(people, now.userId), until: iso(now.toMs), isOverride: now.isOverride } : null,
      shifts: shiftsBetween(schedule, own, nowMs, nowMs + aheadMs).map(toShift),
      overrides: own.toSorted(byStart).map(({ id, userId, fromMs, toMs }) => ({
        id: String(id),
        person: personIn(people, userId),
        start: iso(fromMs),
        end: iso(toMs),
      })),
      dateCreated: iso(schedule.createdMs),
      revision: schedule.rev,
    }
  })
}
