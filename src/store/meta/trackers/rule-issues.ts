import type { Selectable } from 'kysely'
import { type DueBy, insertedId, type Store } from '../database/store.ts'
import type { Tables } from '../database/tables.ts'
import { type ExternalIssue, newExternalRow, toExternalIssue } from './external-issues.ts'

/** An issue of a tracker that a rule asked for. */
export type RuleIssue = { organizationId: number; ruleId: number; integrationId: number; issueId: number }

/** What became of it, for the history of the incident. */
type RuleIssueNote = { kind: 'tracker_created' | 'tracker_failed'; reason: string }

export type RuleIssueStore = {
  /** Links of rules without a tracker issue yet, oldest first. Those of a refused token only until they say so. */
  ruleIssuesDueBy(nowMs: number, max: number): Promise<ExternalIssue[]>
  /** Adds what became of a rule's link to the last incident of its rule and issue. */
  noteRuleIssue(link: Pick<ExternalIssue, 'origin' | 'issueId'>, note: RuleIssueNote, nowMs: number): Promise<void>
}

const originOf = (ruleId: number) => `rule-${ruleId}`
/** The rule of a link; a merge of issues adds to the origin. */
const ruleOf = (origin: string) => Number(/^rule-(\d+)/.exec(origin)?.[1] ?? 0)

/**
 * Stores links of rules without a tracker issue, within a transaction. The same rule, tracker and issue have a single link. What
 * is gone, or belongs to another organization, has no effect.
 */
export async function addRuleIssues(store: Store, asked: readonly RuleIssue[], nowMs: number): Promise<void> {
  const { write, dialect } = store
  const { builder } = dialect
  for (const { organizationId, ruleId, integrationId, issueId } of asked) {
    const origin = originOf(ruleId)
    const issue = await write.get(
      builder
        .selectFrom('issue')
        .innerJoin('integration', 'integration.organization_id', 'issue.organization_id')
        .select('issue.status')
        .where('issue.id', '=', issueId)
        .where('issue.organization_id', '=', organizationId)
        .where('integration.id', '=', integrationId),
    )
    const known = await write.get(
      builder
        .selectFrom('external_issue')
        .select('id')
        .where('integration_id', '=', integrationId)
        .where('issue_id', '=', issueId)
        .where((build) => build.or([build('origin', '=', origin), build('origin', 'like', `${origin}/%`)])),
    )
    if (!issue || known) continue
    const last = await write.get(
      builder
        .selectFrom('activity')
        .select((build) => build.fn.max('id').as('id'))
        .where('issue_id', '=', issueId),
    )
    const from = { integrationId, issueId, origin, createdBy: null }
    const row = newExternalRow(from, issue.status, Number(last?.id ?? 0), nowMs)
    await insertedId(write, builder.insertInto('external_issue').values(row))
  }
}

/** Implements the issues of trackers that rules ask for. */
export function ruleIssuePart({ write, dialect: { builder } }: Store): RuleIssueStore {
  // Prepared once, because it runs every few seconds.
  const due = write.prepared<DueBy, Selectable<Tables['external_issue']>>((slot) =>
    builder
      .selectFrom('external_issue')
      .innerJoin('integration', 'integration.id', 'external_issue.integration_id')
      .selectAll('external_issue')
      .where('external_id', '=', '')
      .where('origin', 'like', 'rule-%')
      .where('next_ms', '<=', slot('nowMs'))
      .where((build) => build.or([build('integration.refused_ms', 'is', null), build('attempts', '=', 0)]))
      .orderBy('external_issue.id')
      .limit(slot('max')),
  )
  return {
    ruleIssuesDueBy: async (nowMs, max) => (await due.all({ nowMs, max })).map(toExternalIssue),
    noteRuleIssue: async ({ origin, issueId }, { kind, reason }, nowMs) => {
      const last = await write.get(
        builder
          .selectFrom('incident_member')
          .select((build) => build.fn.max('incident_id').as('id'))
          .where('rule_id', '=', ruleOf(origin))
          .where('issue_id', '=', issueId),
      )
      if (!last?.id) return
      const data = JSON.stringify({ reason })
      await write.run(
        builder
          .insertInto('incident_activity')
          .values({ incident_id: Number(last.id), at_ms: nowMs, kind, user_id: null, data }),
      )
    },
  }
}
