import { inChunks } from '../database/chunks.ts'
import { fromJson, type Store } from '../database/store.ts'
import { toIssue } from '../issues/issues.ts'
import type { Issue } from '../meta.ts'

/** Issues of a part of time: all that are, and the ones with the most events. */
type Found = { count: number; issues: Issue[] }
type Span = { fromMs: number; toMs: number }

/**
 * A message to one recipient that was sent, for the weekly report. `message` is the same for all recipients of one
 * message: what one decision says about one incident, or about the same issues.
 */
type SentMessage = {
  message: string
  ruleId: number | null
  incidentId: number | null
  issueIds: number[]
  sentMs: number
}

export type SummaryStore = {
  /** Issues of a project that are new, came back, or were resolved in a part of time, each with the most frequent ones. */
  digestOf(projectId: number, span: Span, max: number): Promise<Record<'new' | 'regressed' | 'resolved', Found>>
  /** Messages that left in a part of time, one for each recipient, without tests, the oldest first. */
  messagesSent(organizationId: number, span: Span, max: number): Promise<SentMessage[]>
  /** When people acted on these issues. */
  actionsOn(issueIds: readonly number[], span: Span): Promise<{ issueId: number; atMs: number }[]>
  /** When these incidents were acknowledged. Others are absent. */
  acknowledgementsOf(incidentIds: readonly number[]): Promise<Map<number, number>>
}

/** Implements what digests read. */
export function digestPart({ read, dialect: { builder } }: Store): Pick<SummaryStore, 'digestOf'> {
  const issuesOf = (projectId: number) => builder.selectFrom('issue').where('project_id', '=', projectId)
  return {
    digestOf: async (projectId, { fromMs, toMs }, max) => {
      const parts = {
        new: issuesOf(projectId).where('first_seen_ms', '>=', fromMs).where('first_seen_ms', '<', toMs),
        regressed: issuesOf(projectId)
          .where('status', '=', 'unresolved')
          .where('substatus', '=', 'regressed')
          .where('state_ms', '>=', fromMs)
          .where('state_ms', '<', toMs),
        resolved: issuesOf(projectId)
          .where('status', '=', 'resolved')
          .where('resolved_ms', '>=', fromMs)
          .where('resolved_ms', '<', toMs),
      }
      const found = async (query: typeof parts.new): Promise<Found> => {
        const rows = await read.all(query.selectAll().orderBy('count', 'desc').orderBy('id').limit(max))
        // The usual case: the page is all of them.
        if (rows.length < max) return { count: rows.length, issues: rows.map(toIssue) }
        const all = await read.get(query.select((expression) => expression.fn.countAll<number>().as('count')))
        return { count: Number(all?.count ?? rows.length), issues: rows.map(toIssue) }
      }
      return {
        new: await found(parts.new),
        regressed: await found(parts.regressed),
        resolved: await found(parts.resolved),
      }
    },
  }
}

/** Implements what weekly reports read. */
export function reportPart({ read, dialect: { builder } }: Store): Omit<SummaryStore, 'digestOf'> {
  return {
    messagesSent: async (organizationId, { fromMs, toMs }, max) =>
      (
        await read.all(
          builder
            .selectFrom('delivery')
            .select(['rule_id', 'incident_id', 'items', 'sent_ms', 'created_ms', 'kind', 'change'])
            .where('organization_id', '=', organizationId)
            .where('status', '=', 'sent')
            .where('kind', '!=', 'test')
            .where('created_ms', '>=', fromMs)
            .where('created_ms', '<', toMs)
            .orderBy('id')
            .limit(max),
        )
      ).map((row) => ({
        message: JSON.stringify([
          row.created_ms,
          row.kind,
          row.change,
          row.incident_id,
          row.incident_id === null ? row.items : '',
        ]),
        ruleId: row.rule_id,
        incidentId: row.incident_id,
        issueIds: fromJson<{ issueId: number }[]>(row.items).map(({ issueId }) => issueId),
        sentMs: row.sent_ms ?? fromMs,
      })),
    actionsOn: async (issueIds, { fromMs, toMs }) => {
      const found = await inChunks(issueIds, (chunk) =>
        read.all(
          builder
            .selectFrom('activity')
            .select(['issue_id', 'created_ms'])
            .where('issue_id', 'in', chunk)
            .where('user_id', 'is not', null)
            .where('created_ms', '>=', fromMs)
            .where('created_ms', '<', toMs),
        ),
      )
      return found.map((row) => ({ issueId: row.issue_id, atMs: row.created_ms }))
    },
    acknowledgementsOf: async (incidentIds) => {
      const found = await inChunks(incidentIds, (chunk) =>
        read.all(builder.selectFrom('incident').select(['id', 'acknowledged_ms']).where('id', 'in', chunk)),
      )
      return new Map(found.flatMap((row) => (row.acknowledged_ms === null ? [] : [[row.id, row.acknowledged_ms]])))
    },
  }
}
