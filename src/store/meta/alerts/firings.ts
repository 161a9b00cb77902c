import { type Selectable, sql } from 'kysely'
import type { AlertTables } from '../database/alert-tables.ts'
import { chunksOf } from '../database/chunks.ts'
import { fromJson, type Store } from '../database/store.ts'
import { type FiringContent, firingRow, type NewFiring } from './firing.ts'
import { type AlertRuleState, alertStateRow } from './rules.ts'

export type Firing = NewFiring & { id: number; decidedMs: number | null }

/** What one evaluation leaves, in one transaction. */
type Evaluation = {
  /** Issue triggers that are done. */
  doneIds?: readonly number[]
  /** Issue triggers that wait, such as for the decay of skew. */
  postponed?: readonly { id: number; untilMs: number }[]
  /** A state whose rule changed since `rev`, or is gone, belongs to the rule before: it and its firings are dropped. */
  states?: readonly { ruleId: number; rev: number; state: AlertRuleState }[]
  firings?: readonly NewFiring[]
  /** Firings of triggers. They are stored even if their rule changed meanwhile: nothing evaluates a done trigger again. */
  triggered?: readonly NewFiring[]
}

export type FiringStore = {
  /**
   * Stores the results of an evaluation in one transaction, so that a kill neither loses nor doubles a firing. Firings
   * with a known key, or of a rule that is gone, are dropped.
   */
  saveEvaluation(evaluation: Evaluation): Promise<void>
  /** The oldest firings that are not decided, of all organizations or of one. */
  firingsUndecided(max: number, organizationId?: number): Promise<Firing[]>
  /** The firings of a rule from `fromMs` on, newest first. */
  firingsOf(ruleId: number, fromMs: number, max: number): Promise<Firing[]>
}

/** Converts a row to its firing. */
const toFiring = (row: Selectable<AlertTables['alert_firing']>): Firing => ({
  id: row.id,
  organizationId: row.organization_id,
  ruleId: row.rule_id,
  key: row.firing_key,
  atMs: row.at_ms,
  decidedMs: row.decided_ms,
  ...fromJson<FiringContent>(row.content),
})

/** Stores states. Returns the ids of rules that changed meanwhile. */
async function saveStates(
  { write, dialect: { builder } }: Store,
  states: NonNullable<Evaluation['states']>,
): Promise<Set<number>> {
  const stale = new Set<number>()
  for (const part of chunksOf(states)) {
    const ids = part.map(({ ruleId }) => ruleId)
    const revs = new Map(
      (await write.all(builder.selectFrom('alert_rule').select(['id', 'rev']).where('id', 'in', ids))).map((rule) => [
        rule.id,
        rule.rev,
      ]),
    )
    const rows = part.filter(({ ruleId, rev }) => revs.get(ruleId) === rev)
    for (const { ruleId, rev } of part) if (revs.get(ruleId) !== rev) stale.add(ruleId)
    if (rows.length === 0) continue
    await write.run(
      builder
        .insertInto('alert_rule_state')
        .values(rows.map(({ ruleId, state }) => alertStateRow(ruleId, state)))
        .onConflict((conflict) =>
          conflict.column('rule_id').doUpdateSet(({ ref }) => ({
            status: ref('excluded.status'),
            reason: ref('excluded.reason'),
            since_ms: ref('excluded.since_ms'),
            evaluated_ms: ref('excluded.evaluated_ms'),
            value: ref('excluded.value'),
            memory: ref('excluded.memory'),
          })),
        ),
    )
  }
  return stale
}

async function saveFirings({ write, dialect: { builder } }: Store, firings: readonly NewFiring[]) {
  for (const part of chunksOf(firings)) {
    const ids = [...new Set(part.flatMap(({ ruleId }) => ruleId ?? []))]
    const known = new Set(
      (await write.all(builder.selectFrom('alert_rule').select('id').where('id', 'in', ids))).map(({ id }) => id),
    )
    const rows = part.filter(({ ruleId }) => ruleId === null || known.has(ruleId)).map(firingRow)
    if (rows.length === 0) continue
    await write.run(
      builder
        .insertInto('alert_firing')
        .values(rows)
        .onConflict((conflict) => conflict.column('firing_key').doNothing()),
    )
  }
}

/** Implements firings and the results of evaluations. */
export function firingPart(store: Store): FiringStore {
  const { write, read, dialect } = store
  const { builder } = dialect
  const all = () => builder.selectFrom('alert_firing').selectAll()
  return {
    saveEvaluation: ({ doneIds = [], postponed = [], states = [], firings = [], triggered = [] }) =>
      write.transaction(async () => {
        const stale = await saveStates(store, states)
        const sure = firings.filter(({ ruleId }) => ruleId === null || !stale.has(ruleId))
        await saveFirings(store, [...sure, ...triggered])
        for (const { id, untilMs } of postponed)
          await write.run(builder.updateTable('issue_trigger').set({ until_ms: untilMs }).where('id', '=', id))
        for (const part of chunksOf(doneIds))
          await write.run(builder.deleteFrom('issue_trigger').where('id', 'in', part))
      }),
    firingsUndecided: async (max, organizationId) => {
      // A sum uses no index: the undecided ones have one of their own, and the organization has 90 days of firings.
      const undecided = all().where('decided_ms', 'is', null).orderBy('id').limit(max)
      const rows =
        organizationId === undefined
          ? undecided
          : undecided.where(sql<number>`organization_id + 0`, '=', organizationId)
      return (await write.all(rows)).map(toFiring)
    },
    firingsOf: async (ruleId, fromMs, max) =>
      (
        await read.all(
          all()
            .where('rule_id', '=', ruleId)
            .where('at_ms', '>=', fromMs)
            .orderBy('at_ms', 'desc')
            .orderBy('id', 'desc')
            .limit(max),
        )
      ).map(toFiring),
  }
}
