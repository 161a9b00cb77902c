import { type ExpressionBuilder, sql } from 'kysely'
import { chunksOf, inChunks } from '../database/chunks.ts'
import { fromJson, insertedId, type Store } from '../database/store.ts'
import type { Tables } from '../database/tables.ts'
import { addRuleIssues } from '../trackers/rule-issues.ts'
import { insertDelivery } from './deliveries.ts'
import {
  addActivities,
  type IncidentChange,
  type IncidentStore,
  incidentRow,
  type Measure,
  type OpenIncident,
  toIncident,
  toMember,
} from './incidents.ts'

type Reads = Pick<
  IncidentStore,
  'organizationsDue' | 'organizationsToLookAt' | 'incidentsToLookAt' | 'incidentsToDecide'
>

/** Reads incidents by their ids, in the order of their ids. */
const rowsOf = async ({ write, dialect: { builder } }: Store, ids: readonly number[]) => {
  const all = builder.selectFrom('incident').selectAll()
  return (await inChunks(ids, (part) => write.all(all.where('id', 'in', part)))).sort((a, b) => a.id - b.id)
}

function readPart(store: Store): Reads {
  const { write, dialect } = store
  const { builder } = dialect
  const members = () => builder.selectFrom('incident_member').selectAll().orderBy('opened_ms')
  const isOpen = builder.selectFrom('incident').where('ended_ms', 'is', null)
  // A decision sets the level of everybody who heard of it to "ok" when it has decided about the end.
  const isUntold = (endedFromMs: number) =>
    builder
      .selectFrom('incident')
      .where('ended_ms', '>=', endedFromMs)
      .where((build) =>
        build.or(['warning', 'critical'].map((level) => build('notified', 'like', `%"level":"${level}"%`))),
      )
  return {
    organizationsDue: async (nowMs) => {
      const firings = builder.selectFrom('alert_firing').where('decided_ms', 'is', null)
      const changes = builder.selectFrom('alert_due').where('until_ms', '<=', nowMs)
      // A sum uses no index: by organization, SQLite would read the firings of 90 days and not the undecided ones alone.
      const organization = sql<number>`organization_id + 0`.as('organization_id')
      const found = [
        ...(await write.all(firings.select(organization).distinct())),
        ...(await write.all(changes.select('organization_id').distinct())),
      ]
      return [...new Set(found.map((row) => row.organization_id))]
    },
    organizationsToLookAt: async (endedFromMs) => {
      const found = [
        ...(await write.all(isOpen.select('organization_id').distinct())),
        ...(await write.all(isUntold(endedFromMs).select('organization_id').distinct())),
      ]
      return [...new Set(found.map((row) => row.organization_id))]
    },
    incidentsToLookAt: async (organizationId, endedFromMs) => {
      const found = [
        ...(await write.all(isOpen.select('id').where('organization_id', '=', organizationId))),
        ...(await write.all(isUntold(endedFromMs).select('id').where('organization_id', '=', organizationId))),
      ]
      return found.map((row) => row.id).sort((a, b) => b - a)
    },
    incidentsToDecide: async (ids, ruleIds) => {
      const rows = await rowsOf(store, ids)
      const open = rows.filter((row) => row.ended_ms === null)
      const ended = rows.filter((row) => row.ended_ms !== null)
      const idsOf = (some: typeof rows) => some.map((row) => row.id)
      const found = [
        ...(await inChunks(idsOf(open), (part) => {
          const inPart = members().where('incident_id', 'in', part)
          const alive = (build: ExpressionBuilder<Tables, 'incident_member'>) => build('ended_ms', 'is', null)
          return write.all(
            ruleIds.length === 0
              ? inPart.where(alive)
              : inPart.where((build) => build.or([alive(build), build('rule_id', 'in', ruleIds)])),
          )
        })),
        ...(await inChunks(idsOf(ended), (part) => write.all(members().where('incident_id', 'in', part)))),
      ]
      const byIncident = Map.groupBy(found, (row) => row.incident_id)
      return [...open, ...ended].map((row) => ({
        incident: toIncident(row),
        members: (byIncident.get(row.id) ?? []).map(toMember),
      }))
    },
  }
}

/** Implements the search for incidents that firings belong to. */
function joinPart({ write, dialect: { builder } }: Store): Pick<IncidentStore, 'incidentsToJoin'> {
  const open = () => builder.selectFrom('incident').where('incident.ended_ms', 'is', null)
  const withMembers = () =>
    builder.selectFrom('incident_member as member').innerJoin('incident', 'incident.id', 'member.incident_id')
  // Sums use no index. Members of metrics share the issue 0, so by issue SQLite would read those of all organizations, and
  // by rule the history of 90 days instead of the incidents of an hour.
  const ofMetric = sql<number>`member.issue_id + 0`
  const ofRule = sql<number>`member.rule_id + 0`
  return {
    incidentsToJoin: async (keys) => {
      const { organizationId, ruleIds, metricRuleIds, issueIds, deployIds, releases } = keys
      const { startedFromMs, startedToMs, endedFromMs } = keys
      const alive = (build: ExpressionBuilder<Tables, 'incident'>) =>
        build.and([
          build('incident.organization_id', '=', organizationId),
          build.or([build('incident.ended_ms', 'is', null), build('incident.ended_ms', '>=', endedFromMs)]),
        ])
      const mine = () => open().where('incident.organization_id', '=', organizationId)
      const lately = () =>
        mine().where('incident.started_ms', '>=', startedFromMs).where('incident.started_ms', '<=', startedToMs)
      const about = new Set(issueIds)
      const causes =
        about.size === 0
          ? []
          : await write.all(
              withMembers()
                .select(['incident.id', 'member.measure'])
                .where('incident.organization_id', '=', organizationId)
                .where('incident.ended_ms', 'is', null)
                .where('member.ended_ms', 'is', null)
                .where(ofMetric, '=', 0)
                .where('member.measure', 'not like', '%"causes":[]%'),
            )
      const found = [
        ...(await inChunks(issueIds, (part) =>
          write.all(withMembers().select('incident.id').distinct().where('member.issue_id', 'in', part).where(alive)),
        )),
        ...(await inChunks(metricRuleIds, (part) =>
          write.all(
            withMembers()
              .select('incident.id')
              .distinct()
              .where('member.rule_id', 'in', part)
              .where(ofMetric, '=', 0)
              .where(alive),
          ),
        )),
        ...causes.filter(({ measure }) => fromJson<Measure>(measure).causes.some((id) => about.has(id))),
        ...(await inChunks(deployIds, (part) =>
          write.all(mine().select('incident.id').where('incident.deploy_id', 'in', part)),
        )),
        ...(await inChunks(releases, (part) =>
          write.all(lately().select('incident.id').where('incident.release', 'in', part)),
        )),
        // A flood: what these rules have started just now.
        ...(await inChunks(ruleIds, (part) =>
          write.all(
            lately()
              .select('incident.id')
              .distinct()
              .innerJoin('incident_member as member', 'member.incident_id', 'incident.id')
              .where(ofRule, 'in', part),
          ),
        )),
      ]
      return [...new Set(found.map((row) => row.id))]
    },
  }
}

/** Incidents as they are now. Only a person who ends one changes its members: decisions come one after the other. */
async function currentOf(store: Store, read: readonly OpenIncident[]): Promise<OpenIncident[]> {
  const { write, dialect } = store
  const { builder } = dialect
  const rows = await rowsOf(
    store,
    read.map(({ incident }) => incident.id),
  )
  const byId = new Map(rows.map((row) => [row.id, toIncident(row)]))
  const current: OpenIncident[] = []
  for (const { incident: before, members } of read) {
    const incident = byId.get(before.id)
    if (!incident) continue
    const isSame = incident.endedMs === before.endedMs
    const all = builder.selectFrom('incident_member').selectAll().where('incident_id', '=', before.id)
    current.push({
      incident,
      members: isSame ? members : (await write.all(all.orderBy('opened_ms'))).map(toMember),
    })
  }
  return current
}

async function storeIncident(store: Store, change: IncidentChange, nowMs: number): Promise<number> {
  const { write, dialect } = store
  const { builder } = dialect
  const row = incidentRow(change.incident)
  const id = change.incident.id || (await insertedId(write, builder.insertInto('incident').values(row)))
  if (change.incident.id) await write.run(builder.updateTable('incident').set(row).where('id', '=', id))
  for (const member of change.members) {
    const { value, threshold, sentence, causes, impact, group } = member
    const name = group ? { name: group.name } : {}
    const values = {
      level: member.level,
      opened_ms: member.openedMs,
      ended_ms: member.endedMs,
      measure: JSON.stringify({ value, threshold, sentence, causes, impact, ...name } satisfies Measure),
    }
    await write.run(
      builder
        .insertInto('incident_member')
        .values({
          incident_id: id,
          rule_id: member.ruleId,
          issue_id: member.issueId,
          group_key: group?.key ?? '',
          ...values,
        })
        .onConflict((conflict) =>
          conflict.columns(['incident_id', 'rule_id', 'issue_id', 'group_key']).doUpdateSet(values),
        ),
    )
  }
  await addActivities(store, id, change.activities, nowMs)
  return id
}

/** Implements what decisions read and store. */
export function decisionPart(store: Store): Reads & Pick<IncidentStore, 'incidentsToJoin' | 'storeDecision'> {
  const { write } = store
  const { builder } = store.dialect
  return {
    ...readPart(store),
    ...joinPart(store),
    storeDecision: (decide, nowMs, read = []) =>
      write.transaction(async () => {
        const decided = decide(await currentOf(store, read))
        const ids: number[] = []
        for (const change of decided.incidents) ids.push(await storeIncident(store, change, nowMs))
        for (const { delivery, incident } of decided.deliveries) {
          const incidentId = incident === null ? delivery.incidentId : (ids[incident] ?? null)
          await insertDelivery(store, { ...delivery, incidentId }, nowMs)
        }
        for (const { id, items, issueIds, more } of decided.grown)
          await write.run(
            builder
              .updateTable('delivery')
              .set({ items: JSON.stringify(items), issue_ids: JSON.stringify(issueIds), more })
              .where('id', '=', id),
          )
        await addRuleIssues(store, decided.trackerIssues, nowMs)
        for (const chunk of chunksOf(decided.firingIds))
          await write.run(builder.updateTable('alert_firing').set({ decided_ms: nowMs }).where('id', 'in', chunk))
        for (const { id, untilMs } of decided.postponed)
          await write.run(builder.updateTable('alert_due').set({ until_ms: untilMs }).where('id', '=', id))
        for (const id of decided.dueIds) await write.run(builder.deleteFrom('alert_due').where('id', '=', id))
        return decided
      }),
  }
}
