import { sql } from 'kysely'
import type { Store } from '../database/store.ts'

/** Somebody whom a rule of ownership names for an issue; the rule as it was written, without its owners. */
export type Suggestion = { userId: string; rule: string }

/** Issues of a project whose rules have changed since they were held against them. */
type SuggestionsDue = {
  projectId: number
  issueIds: number[]
  /** Where to go on after them. */
  sweepId: number
}

export type SuggestionStore = {
  /** In the order in which the rule names them. */
  suggestionsOf(issueId: number): Suggestion[]
  /** Replaces what was suggested for issues, in one transaction; those for which that is anything else than before. */
  suggest(of: ReadonlyMap<number, readonly Suggestion[]>): Set<number>
  /** The next issues of one project whose suggestions are to be found again, the youngest first. */
  suggestionsDue(max: number): SuggestionsDue | undefined
  endSuggestionsDue(due: SuggestionsDue): void
}

/** Whom rules suggest. */
export function suggestionPart({ write, read, dialect: { builder } }: Store): SuggestionStore {
  const of = (issueId: number) =>
    builder
      .selectFrom('issue_suggestion')
      .select(['user_id', 'rule'])
      .where('issue_id', '=', issueId)
      .orderBy('place')
      .orderBy('user_id')
  const toSuggestion = (row: { user_id: string; rule: string }): Suggestion => ({ userId: row.user_id, rule: row.rule })
  /** Whether that was anything else; an issue that is gone has none. */
  function replace(issueId: number, wanted: readonly Suggestion[]): boolean {
    const before = write.all(of(issueId)).map(toSuggestion)
    const isSame = before.length === wanted.length && before.every((item, at) => isEqual(item, wanted[at]))
    if (isSame || !write.get(builder.selectFrom('issue').select('id').where('id', '=', issueId))) return false
    write.run(builder.deleteFrom('issue_suggestion').where('issue_id', '=', issueId))
    for (const [place, { userId, rule }] of wanted.entries())
      write.run(builder.insertInto('issue_suggestion').values({ issue_id: issueId, user_id: userId, place, rule }))
    return true
  }
  return {
    suggestionsOf: (issueId) => read.all(of(issueId)).map(toSuggestion),
    suggest: (all) =>
      write.transaction(() => {
        const changed = [...all].filter(([issueId, wanted]) => replace(issueId, wanted))
        return new Set(changed.map(([issueId]) => issueId))
      }),
    suggestionsDue: (max) => {
      const row = write.get(
        builder
          .selectFrom('ownership')
          .select(['project_id', 'sweep_id'])
          .where('sweep_id', 'is not', null)
          .orderBy('project_id')
          .limit(1),
      )
      if (!row || row.sweep_id === null) return undefined
      const issues = write.all(
        builder
          .selectFrom('issue')
          .select('id')
          // With a plus no index of projects is taken: those are by time, and each step would sort all of the project.
          .where(sql<number>`+project_id`, '=', row.project_id)
          .where('id', '<=', row.sweep_id)
          .orderBy('id', 'desc')
          .limit(max),
      )
      return { projectId: row.project_id, issueIds: issues.map((issue) => issue.id), sweepId: row.sweep_id }
    },
    endSuggestionsDue: ({ projectId, issueIds, sweepId }) => {
      const last = issueIds.at(-1)
      write.run(
        builder
          .updateTable('ownership')
          .set({ sweep_id: last === undefined ? null : last - 1 })
          .where('project_id', '=', projectId)
          // Rules that were changed meanwhile begin anew.
          .where('sweep_id', '=', sweepId),
      )
    },
  }
}

const isEqual = (suggestion: Suggestion, other: Suggestion | undefined) =>
  suggestion.userId === other?.userId && suggestion.rule === other.rule

/** Has all issues of an organization's projects held against their rules again: who is named there may be somebody now. */
export function sweepOrganization({ write, dialect: { builder } }: Store, organizationId: number): void {
  write.run(
    builder
      .updateTable('ownership')
      .set({ sweep_id: builder.selectFrom('issue').select(({ fn }) => fn.max('id').as('id')) })
      .where('text', '!=', '')
      .where(
        'project_id',
        'in',
        builder.selectFrom('project').select('id').where('organization_id', '=', organizationId),
      ),
  )
}

/** Somebody who is not in the organization any more is suggested for none of its issues. */
export function dropSuggestionsOf(
  { write, dialect: { builder } }: Store,
  organizationId: number,
  userId: string,
): void {
  write.run(
    builder
      .deleteFrom('issue_suggestion')
      .where('user_id', '=', userId)
      .where('issue_id', 'in', builder.selectFrom('issue').select('id').where('organization_id', '=', organizationId)),
  )
}
