import type { Selectable } from 'kysely'
import { MishapError } from '../../../base/errors.ts'
import { inChunks } from '../database/chunks.ts'
import type { Builder } from '../database/dialect.ts'
import { fromJson, type Store } from '../database/store.ts'
import type { Tables } from '../database/tables.ts'
import type { AlertLevel, NewDelivery } from '../issues/alerts.ts'
import type { RuleIssue } from '../trackers/rule-issues.ts'
import type { FiringGroup } from './firing.ts'

/** `acknowledged`: open, and somebody works on it. */
type IncidentState = 'warning' | 'critical' | 'acknowledged' | 'resolved'

/** A rule that sees the incident, by an issue or by a metric. */
export type IncidentMember = {
  /** 0: the built-in notifications. */
  ruleId: number
  /** 0: the rule watches a metric. */
  issueId: number
  level: AlertLevel
  openedMs: number
  endedMs: number | null
  value: number | null
  threshold: number | null
  sentence: string
  /** The group of a metric rule by groups. */
  group: FiringGroup | null
  /** Issues that a metric is about, if its rule knows them. */
  causes: number[]
  /** The impact of the incident when it opened: receivers that know a lower one have not heard of it. */
  impact: number
}

/**
 * What a receiver heard last about an incident. `impact`: the impact that it heard of. `held`: the impact up to which
 * messages were suppressed and recorded as such. `isAcknowledged`: an on-call service heard that somebody works on it.
 */
export type Notified = {
  atMs: number
  level: AlertLevel | 'ok'
  impact: number
  held: number
  isAcknowledged?: boolean
}

/** `ruleId`: whose order it is; absent in rows of older versions. `finished`: rules whose orders have no further step. */
type Escalation = { step: number; dueMs: number; ruleId?: number; finished?: number[] }

export type Incident = {
  id: number
  organizationId: number
  title: string
  state: IncidentState
  /** The worst level of its open members. Of an ended incident: the last level. */
  level: AlertLevel
  /** The worst level that it ever had. */
  peak: AlertLevel
  startedMs: number
  changedMs: number
  endedMs: number | null
  acknowledgedBy: string | null
  acknowledgedMs: number | null
  /** No messages until then. */
  snoozedUntilMs: number | null
  /** Grows by one with each change that a message must tell. */
  impact: number
  /** A flood: so many issues at once that they share this incident and are told in summaries. */
  isBurst: boolean
  release: string
  deployId: number | null
  projectIds: number[]
  /** By receiver: `channel:3`, `person:ID`. */
  notified: Record<string, Notified>
  /** The next step of an on-call order; null: none, or somebody acknowledged. */
  escalation: Escalation | null
}

type IncidentActivity = {
  id: number
  incidentId: number
  atMs: number
  kind:
    | 'started'
    | 'joined'
    | 'level'
    | 'left'
    | 'ended'
    | 'reopened'
    | 'acknowledged'
    | 'snoozed'
    | 'resolved'
    | 'escalated'
    | 'suppressed'
    | 'tracker_created'
    | 'tracker_failed'
    | 'tracker_held'
  /** null: Mishap itself, or a signed link. */
  userId: string | null
  data: Record<string, string | number | null>
}
export type NewActivity = Pick<IncidentActivity, 'kind' | 'userId' | 'data'>

/** An incident with its members, as a decision reads it. */
export type OpenIncident = { incident: Incident; members: IncidentMember[] }

/** What a decision stores about an incident. `incident.id` 0: it is new. `members`: those that changed. */
export type IncidentChange = { incident: Incident; members: IncidentMember[]; activities: NewActivity[] }

/** All rows of one decision. `incident` of a delivery: the place of its incident in `incidents`; null: it is about no incident. */
export type Decided = {
  incidents: IncidentChange[]
  deliveries: { delivery: NewDelivery; incident: number | null }[]
  /** Summaries that wait and now count more issues. */
  grown: { id: number; items: NewDelivery['items']; issueIds: number[]; more: number }[]
  /** Issues of trackers that rules ask for. */
  trackerIssues: RuleIssue[]
  /** Rows of the outboxes that are decided. */
  dueIds: number[]
  firingIds: number[]
  postponed: { id: number; untilMs: number }[]
}

/** What firings of one organization have in common with the incidents that they belong to. */
type JoinKeys = {
  organizationId: number
  ruleIds: readonly number[]
  /** Those of `ruleIds` that watch a metric. */
  metricRuleIds: readonly number[]
  issueIds: readonly number[]
  deployIds: readonly number[]
  releases: readonly string[]
  /** Times between which an open incident of the same release or of a flood began. */
  startedFromMs: number
  startedToMs: number
  /** Incidents that ended earlier do not open again. */
  endedFromMs: number
}

/** Decides about incidents as they are now. */
type Decide = (incidents: OpenIncident[]) => Decided

/** Which incidents: open or ended ones, all or those of a rule or issue. */
export type IncidentFilter = {
  organizationId: number
  state?: 'open' | 'ended'
  ruleId?: number
  issueId?: number
  offset?: number
}

/** A change by a person. */
export type IncidentPatch = Partial<
  Pick<
    Incident,
    'state' | 'acknowledgedBy' | 'acknowledgedMs' | 'snoozedUntilMs' | 'endedMs' | 'escalation' | 'changedMs'
  >
>

export type IncidentStore = {
  /** Newest first. */
  listIncidents(filter: IncidentFilter, max: number): Promise<Incident[]>
  countOpenIncidents(organizationId: number): Promise<number>
  incidentById(id: number): Promise<Incident | undefined>
  /** Members, those that are open first, and their number. */
  incidentMembersOf(id: number, max: number): Promise<{ members: IncidentMember[]; open: number; total: number }>
  /** When these rules fired last (ms), by rule. Rules without an incident of the last 90 days are absent. */
  lastFiringsOf(ruleIds: number[]): Promise<Map<number, number>>
  /** Newest first. */
  incidentActivitiesOf(id: number, max: number): Promise<IncidentActivity[]>
  /** Organizations with firings or changes of issues that a decision is due for. */
  organizationsDue(nowMs: number): Promise<number[]>
  /** Organizations with incidents as of `incidentsToLookAt`. */
  organizationsToLookAt(endedFromMs: number): Promise<number[]>
  /**
   * Ids of incidents that time can change, newest first: those that are open, and those that ended since `endedFromMs`
   * and whose end somebody has not heard of.
   */
  incidentsToLookAt(organizationId: number, endedFromMs: number): Promise<number[]>
  /** Ids of incidents that firings with these keys can join, end or open again. */
  incidentsToJoin(keys: JoinKeys): Promise<number[]>
  /**
   * Incidents for a decision, open ones first. An open incident has its open members and all members of these rules, one
   * that has ended has all its members.
   */
  incidentsToDecide(ids: readonly number[], ruleIds: readonly number[]): Promise<OpenIncident[]>
  /**
   * Reads the incidents of `read` once more, decides and stores the decision, all in one transaction: what a person
   * changed since `read` is neither overwritten nor missed. An incident that is gone is left out. `decide` can run more
   * than once and must be pure. Returns the decision.
   */
  storeDecision(decide: Decide, nowMs: number, read?: readonly OpenIncident[]): Promise<Decided>
  /**
   * Changes an incident and adds to its history. Throws NOT_FOUND, and CONFLICT when it has ended. `closesMembers`
   * also ends its members.
   */
  changeIncident(id: number, patch: IncidentPatch, activity: NewActivity, closesMembers?: boolean): Promise<Incident>
}

/** Converts a row to its incident. */
export const toIncident = (row: Selectable<Tables['incident']>): Incident => ({
  id: row.id,
  organizationId: row.organization_id,
  title: row.title,
  state: row.state as IncidentState,
  level: row.level as AlertLevel,
  peak: row.peak as AlertLevel,
  startedMs: row.started_ms,
  changedMs: row.changed_ms,
  endedMs: row.ended_ms,
  acknowledgedBy: row.acknowledged_by,
  acknowledgedMs: row.acknowledged_ms,
  snoozedUntilMs: row.snoozed_until_ms,
  impact: row.impact,
  isBurst: row.burst === 1,
  release: row.release,
  deployId: row.deploy_id,
  projectIds: fromJson<number[]>(row.project_ids),
  notified: fromJson<Incident['notified']>(row.notified),
  escalation: row.escalation === null ? null : fromJson<Incident['escalation']>(row.escalation),
})

/** Converts an incident to its row. */
export const incidentRow = (incident: Incident) => ({
  organization_id: incident.organizationId,
  title: incident.title,
  state: incident.state,
  level: incident.level,
  peak: incident.peak,
  started_ms: incident.startedMs,
  changed_ms: incident.changedMs,
  ended_ms: incident.endedMs,
  acknowledged_by: incident.acknowledgedBy,
  acknowledged_ms: incident.acknowledgedMs,
  snoozed_until_ms: incident.snoozedUntilMs,
  impact: incident.impact,
  burst: incident.isBurst ? 1 : 0,
  release: incident.release,
  deploy_id: incident.deployId,
  project_ids: JSON.stringify(incident.projectIds),
  notified: JSON.stringify(incident.notified),
  escalation: incident.escalation === null ? null : JSON.stringify(incident.escalation),
})

/** The JSON of a member. `name`: of its group. */
export type Measure = Pick<IncidentMember, 'value' | 'threshold' | 'sentence' | 'causes' | 'impact'> & { name?: string }

function measureOf({ measure, group_key }: Pick<Selectable<Tables['incident_member']>, 'measure' | 'group_key'>) {
  const { name, ...rest } = fromJson<Measure>(measure)
  return { ...rest, group: group_key === '' ? null : { key: group_key, name: name ?? '' } }
}

/** Converts a row to its member. */
export const toMember = (row: Selectable<Tables['incident_member']>): IncidentMember => ({
  ruleId: row.rule_id,
  issueId: row.issue_id,
  level: row.level as AlertLevel,
  openedMs: row.opened_ms,
  endedMs: row.ended_ms,
  ...measureOf(row),
})

type Reads = Pick<
  IncidentStore,
  | 'listIncidents'
  | 'countOpenIncidents'
  | 'incidentById'
  | 'incidentMembersOf'
  | 'incidentActivitiesOf'
  | 'lastFiringsOf'
>

/** The incidents of a filter, newest first. */
function listed(builder: Builder, filter: IncidentFilter) {
  const { organizationId, state, ruleId, issueId, offset = 0 } = filter
  let rows = builder.selectFrom('incident').selectAll().where('organization_id', '=', organizationId)
  if (state === 'open') rows = rows.where('ended_ms', 'is', null)
  if (state === 'ended') rows = rows.where('ended_ms', 'is not', null)
  if (ruleId !== undefined || issueId !== undefined) {
    let ofMember = builder.selectFrom('incident_member').select('incident_id')
    if (ruleId !== undefined) ofMember = ofMember.where('rule_id', '=', ruleId)
    if (issueId !== undefined) ofMember = ofMember.where('issue_id', '=', issueId)
    rows = rows.where('id', 'in', ofMember)
  }
  return rows.orderBy('id', 'desc').offset(offset)
}

/** Implements lookups of incidents. */
export function incidentReadPart({ write, read, dialect: { builder } }: Store): Reads {
  const all = () => builder.selectFrom('incident').selectAll()
  const members = () => builder.selectFrom('incident_member').selectAll()
  return {
    listIncidents: async (filter, max) => (await read.all(listed(builder, filter).limit(max))).map(toIncident),
    countOpenIncidents: async (organizationId) => {
      const count = builder
        .selectFrom('incident')
        .select((build) => build.fn.countAll<number>().as('open'))
        .where('organization_id', '=', organizationId)
        .where('ended_ms', 'is', null)
      return (await read.get(count))?.open ?? 0
    },
    incidentById: async (id) => {
      const row = await write.get(all().where('id', '=', id))
      return row && toIncident(row)
    },
    incidentMembersOf: async (id, max) => {
      const counts = builder
        .selectFrom('incident_member')
        .select((build) => [build.fn.countAll<number>().as('total'), build.fn.count<number>('ended_ms').as('ended')])
        .where('incident_id', '=', id)
      const { total = 0, ended = 0 } = (await read.get(counts)) ?? {}
      const open = members().where('incident_id', '=', id).where('ended_ms', 'is', null).orderBy('opened_ms')
      const closed = members()
        .where('incident_id', '=', id)
        .where('ended_ms', 'is not', null)
        .orderBy('ended_ms', 'desc')
      const found = await read.all(open.orderBy('issue_id').orderBy('rule_id').limit(max))
      if (found.length < max) found.push(...(await read.all(closed.orderBy('issue_id').limit(max - found.length))))
      return { members: found.map(toMember), open: total - ended, total }
    },
    lastFiringsOf: async (ruleIds) => {
      const last = builder
        .selectFrom('incident_member')
        .select(({ fn }) => ['rule_id', fn.max<number>('opened_ms').as('ms')])
        .groupBy('rule_id')
      const found = await inChunks(ruleIds, (chunk) => read.all(last.where('rule_id', 'in', chunk)))
      return new Map(found.map((row) => [row.rule_id, row.ms]))
    },
    incidentActivitiesOf: async (id, max) =>
      (
        await read.all(
          builder
            .selectFrom('incident_activity')
            .selectAll()
            .where('incident_id', '=', id)
            .orderBy('id', 'desc')
            .limit(max),
        )
      ).map((row) => ({
        id: row.id,
        incidentId: row.incident_id,
        atMs: row.at_ms,
        kind: row.kind as IncidentActivity['kind'],
        userId: row.user_id,
        data: fromJson<IncidentActivity['data']>(row.data),
      })),
  }
}

/** Adds to the history of an incident. The caller opens the transaction. */
export async function addActivities(
  { write, dialect: { builder } }: Store,
  incidentId: number,
  activities: readonly NewActivity[],
  nowMs: number,
): Promise<void> {
  for (const { kind, userId, data } of activities)
    await write.run(
      builder
        .insertInto('incident_activity')
        .values({ incident_id: incidentId, at_ms: nowMs, kind, user_id: userId, data: JSON.stringify(data) }),
    )
}

/** Implements changes by people. */
export function incidentChangePart(store: Store): Pick<IncidentStore, 'changeIncident'> {
  const { write } = store
  const { builder } = store.dialect
  return {
    changeIncident: (id, patch, activity, closesMembers = false) =>
      write.transaction(async () => {
        const row = await write.get(builder.selectFrom('incident').selectAll().where('id', '=', id))
        if (!row) throw new MishapError('NOT_FOUND')
        const before = toIncident(row)
        if (before.endedMs !== null) throw new MishapError('CONFLICT', { detail: 'This incident has ended.' })
        const incident = { ...before, ...patch }
        await write.run(builder.updateTable('incident').set(incidentRow(incident)).where('id', '=', id))
        if (closesMembers)
          await write.run(
            builder
              .updateTable('incident_member')
              .set({ ended_ms: incident.changedMs })
              .where('incident_id', '=', id)
              .where('ended_ms', 'is', null),
          )
        await addActivities(store, id, [activity], incident.changedMs)
        return incident
      }),
  }
}
