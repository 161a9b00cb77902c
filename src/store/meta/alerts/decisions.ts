import { insertedId, type Store } from '../database/store.ts'
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

/** Ids of one statement. SQLite takes 32,766 values. */
const idsMax = 500

/** Runs as many statements as the ids need. */
async function inParts<Id, Row>(ids: readonly Id[], query: (part: Id[]) => Promise<Row[]>): Promise<Row[]> {
  const found: Row[] = []
  for (let at = 0; at < ids.length; at += idsMax) for (const row of await query(ids.slice(at, at + idsMax))) found.push(row)
  return found
}

type Reads = Pick<IncidentStore, 'incidentsToDecide' | 'organizationsWithOpenIncidents'>

function readPart({ write, dialect: { builder } }: Store): Reads {
  const all = () => builder.selectFrom('incident').selectAll()
  const members = () => builder.selectFrom('incident_member').selectAll()
  return {
    incidentsToDecide: async (organizationIds, endedFromMs, ruleIds) => {
      const inOrganizations = all().where('organization_id', 'in', organizationIds)
      const rows = [
        ...(await write.all(inOrganizations.where('ended_ms', 'is', null).orderBy('id'))),
        ...(await write.all(inOrganizations.where('ended_ms', '>=', endedFromMs).orderBy('id'))),
      ]
      const ids = rows.map((row) => row.id)
      const ended = rows.filter((row) => row.ended_ms !== null).map((row) => row.id)
      const found = await write.all(
        members()
          .where('incident_id', 'in', ids)
          .where((build) =>
            build.or([
              build('ended_ms', 'is', null),
              build('rule_id', 'in', ruleIds),
              build('incident_id', 'in', ended),
            ]),
          )
          .orderBy('opened_ms'),
      )
      const byIncident = Map.groupBy(found, (row) => row.incident_id)
      return rows.map((row) => ({ incident: toIncident(row), members: (byIncident.get(row.id) ?? []).map(toMember) }))
    },
    organizationsWithOpenIncidents: async (endedFromMs) => {
      const organizations = builder.selectFrom('incident').select('organization_id').distinct()
      const found = [
        ...(await write.all(organizations.where('ended_ms', 'is', null))),
        ...(await write.all(organizations.where('ended_ms', '>=', endedFromMs))),
      ]
      return [...new Set(found.map((row) => row.organization_id))]
    },
  }
}

/** Incidents as they are now. Only a person who ends one changes its members: decisions come one after the other. */
async function currentOf({ write, dialect }: Store, read: readonly OpenIncident[]): Promise<OpenIncident[]> {
  const { builder } = dialect
  const ids = read.map(({ incident }) => incident.id)
  const incidents = builder.selectFrom('incident').selectAll()
  const rows = await inParts(ids, (part) => write.all(incidents.where('id', 'in', part)))
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
export function decisionPart(store: Store): Reads & Pick<IncidentStore, 'storeDecision'> {
  const { write } = store
  const { builder } = store.dialect
  return {
    ...readPart(store),
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
        for (let from = 0; from < decided.firingIds.length; from += idsMax)
          await write.run(
            builder
              .updateTable('alert_firing')
              .set({ decided_ms: nowMs })
              .where('id', 'in', decided.firingIds.slice(from, from + idsMax)),
          )
        for (const { id, untilMs } of decided.postponed)
          await write.run(builder.updateTable('alert_due').set({ until_ms: untilMs }).where('id', '=', id))
        for (const id of decided.dueIds) await write.run(builder.deleteFrom('alert_due').where('id', '=', id))
        return decided
      }),
  }
}
