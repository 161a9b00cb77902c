import { type Selectable, sql } from 'kysely'
import type { AlertTables } from '../database/alert-tables.ts'
import type { Connection } from '../database/connection.ts'
import { type Dialect, number } from '../database/dialect.ts'
import type { DueBy, Store } from '../database/store.ts'

/** Kinds of triggers that happen at one moment. Those with windows are asked from the events store. */
export type TriggerKind =
  | 'new'
  | 'regression'
  | 'escalation'
  | 'priority'
  | 'first_of_release'
  | 'performance'
  | 'feedback'

/** Something that happened to an issue. Written in the transaction that made it happen. */
export type IssueTrigger = {
  id: number
  organizationId: number
  projectId: number
  /** Null: feedback that is about no issue, or a release whose first use was no event. */
  issueId: number | null
  kind: TriggerKind
  /** The event, or the id of the feedback; '' for a change by a person or by the clock. */
  eventId: string
  environment: string
  release: string
  atMs: number
  /** Over 0: rules that wait for the decay of skew are evaluated then. The others were already. */
  untilMs: number
}

export const triggerColumns = {
  organization_id: 'integer',
  project_id: 'integer',
  issue_id: 'integer?',
  kind: 'text',
  event_id: 'text',
  environment: 'text',
  release_version: 'text',
  at_ms: 'integer',
  until_ms: 'integer',
} as const

/** The row of a trigger that no event caused. */
export const issueTriggerRow = (
  issue: { id: number; organization_id: number; project_id: number },
  kind: TriggerKind,
  nowMs: number,
): Omit<AlertTables['issue_trigger'], 'id'> => ({
  organization_id: issue.organization_id,
  project_id: issue.project_id,
  issue_id: issue.id,
  kind,
  event_id: '',
  environment: '',
  release_version: '',
  at_ms: nowMs,
  until_ms: 0,
})

/** The statement for a priority that a person raised. It writes nothing in an organization without issue rules. */
export const raisedPriorityTrigger = (write: Connection, { builder }: Dialect) =>
  write.prepared<{ id: number; at: number }, unknown>((slot) =>
    builder
      .insertInto('issue_trigger')
      .columns([
        'organization_id',
        'project_id',
        'issue_id',
        'kind',
        'event_id',
        'environment',
        'release_version',
        'at_ms',
        'until_ms',
      ])
      .expression((build) =>
        build
          .selectFrom('issue')
          .select([
            'issue.organization_id',
            'issue.project_id',
            'issue.id',
            sql.lit('priority').as('kind'),
            sql.lit('').as('event_id'),
            sql.lit('').as('environment'),
            sql.lit('').as('release_version'),
            number(slot('at')).as('at_ms'),
            sql.lit(0).as('until_ms'),
          ])
          .where('issue.id', '=', slot('id'))
          .where((rule) =>
            rule.exists(
              rule
                .selectFrom('alert_rule')
                .select('alert_rule.id')
                .whereRef('alert_rule.organization_id', '=', 'issue.organization_id')
                .where('alert_rule.kind', '=', 'issue')
                .where('alert_rule.active', '=', 1),
            ),
          ),
      ),
  )

export type TriggerStore = {
  /** The oldest triggers that no longer wait. */
  issueTriggersDue(max: number, nowMs: number): Promise<IssueTrigger[]>
  /** The issue of a feedback; null while it is unknown or there is none. */
  issueOfFeedback(projectId: number, feedbackId: string): Promise<number | null>
}

/** Implements reads of the outbox for issue rules. */
export function triggerPart({ write, dialect: { builder } }: Store): TriggerStore {
  // Prepared once, because it runs every few seconds.
  const due = write.prepared<DueBy, Selectable<AlertTables['issue_trigger']>>((slot) =>
    builder
      .selectFrom('issue_trigger')
      .selectAll()
      .where('until_ms', '<=', slot('nowMs'))
      .orderBy('until_ms')
      .orderBy('id')
      .limit(slot('max')),
  )
  return {
    issueTriggersDue: async (max, nowMs) =>
      (await due.all({ nowMs, max })).map((row) => ({
        id: row.id,
        organizationId: row.organization_id,
        projectId: row.project_id,
        issueId: row.issue_id,
        kind: row.kind as TriggerKind,
        eventId: row.event_id,
        environment: row.environment,
        release: row.release_version,
        atMs: row.at_ms,
        untilMs: row.until_ms,
      })),
    issueOfFeedback: async (projectId, feedbackId) => {
      const of = builder.selectFrom('feedback').select('issue_id').where('project_id', '=', projectId)
      return (await write.get(of.where('feedback_id', '=', feedbackId)))?.issue_id ?? null
    },
  }
}
