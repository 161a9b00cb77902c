import { type Selectable, sql } from 'kysely'
import type { Store } from '../database/store.ts'
import type { Tables } from '../database/tables.ts'

/** A person that an ownership rule suggests for an issue. `rule`: the text of the rule, without its owners. */
export type Suggestion = { userId: string; rule: string }

/** Issues of a project to check against its changed rules. */
type SuggestionsDue = {
  projectId: number
  issueIds: number[]
  /** Position of the check, to continue after these issues. */
  sweepId: number
  /** The rules at that time. */
  rules: string
}

export type SuggestionStore = {
  /** In the order of the rule. */
  suggestionsOf(issueId: number): Promise<Suggestion[]>
  /** The first suggestion of each of these issues. Issues without one are absent. */
  firstSuggestionsOf(issueIds: readonly number[]): Promise<Map<number, Suggestion>>
  /** Replaces the suggestions of issues in one transaction. Returns the issues whose suggestions changed. */
  suggest(of: ReadonlyMap<number, readonly Suggestion[]>): Promise<Set<number>>
  /** The next issues of one project whose suggestions must be recomputed, the youngest first. */
  suggestionsDue(max: number): Promise<SuggestionsDue | undefined>
  endSuggestionsDue(due: SuggestionsDue): Promise<void>
}

const toSuggestion = (row: { user_id: string; rule: string }): Suggestion => ({ userId: row.user_id, rule: row.rule })

async function firstSuggestionsOf(
  { read, dialect: { builder } }: Store,
  issueIds: readonly number[],
): Promise<Map<number, Suggestion>> {
  if (issueIds.length === 0) return new Map()
  const rows = await read.all(
    builder
      .selectFrom('issue_suggestion')
      .select(['issue_id', 'user_id', 'rule'])
      .where('issue_id', 'in', issueIds)
      .orderBy('place', 'desc')
      .orderBy('user_id', 'desc'),
  )
  // The last entry of a key counts, so the order is reversed.
  return new Map(rows.map((row) => [row.issue_id, toSuggestion(row)]))
}

function suggestionsDueOf({ write, dialect: { builder } }: Store): SuggestionStore['suggestionsDue'] {
  // Prepared once, because it runs every few seconds.
  const first = write.prepared<object, Pick<Selectable<Tables['ownership']>, 'project_id' | 'sweep_id' | 'text'>>(() =>
    builder
      .selectFrom('ownership')
      .select(['project_id', 'sweep_id', 'text'])
      .where('sweep_id', 'is not', null)
      .orderBy('project_id')
      .limit(1),
  )
  return async (max) => {
    const row = await first.get({})
    if (!row || row.sweep_id === null) return undefined
    const issues = await write.all(
      builder
        .selectFrom('issue')
        .select('id')
        // The plus prevents the use of project indexes: they are by time, so each step would sort the whole project.
        .where(sql<number>`+project_id`, '=', row.project_id)
        .where('id', '<=', row.sweep_id)
        .orderBy('id', 'desc')
        .limit(max),
    )
    return {
      projectId: row.project_id,
      issueIds: issues.map((issue) => issue.id),
      sweepId: row.sweep_id,
      rules: row.text,
    }
  }
}

/** Implements suggested owners. */
export function suggestionPart(store: Store): SuggestionStore {
  const { write, read } = store
  const { builder } = store.dialect
  const of = (issueId: number) =>
    builder
      .selectFrom('issue_suggestion')
      .select(['user_id', 'rule'])
      .where('issue_id', '=', issueId)
      .orderBy('place')
      .orderBy('user_id')
  /** Returns whether the suggestions changed. Skips deleted issues. */
  async function replace(issueId: number, suggestions: readonly Suggestion[]): Promise<boolean> {
    const before = (await write.all(of(issueId))).map(toSuggestion)
    const isSame = before.length === suggestions.length && before.every((item, at) => isEqual(item, suggestions[at]))
    if (isSame || !(await write.get(builder.selectFrom('issue').select('id').where('id', '=', issueId)))) return false
    await write.run(builder.deleteFrom('issue_suggestion').where('issue_id', '=', issueId))
    for (const [place, { userId, rule }] of suggestions.entries())
      await write.run(
        builder.insertInto('issue_suggestion').values({ issue_id: issueId, user_id: userId, place, rule }),
      )
    return true
  }
  return {
    suggestionsOf: async (issueId) => (await read.all(of(issueId))).map(toSuggestion),
    firstSuggestionsOf: (issueIds) => firstSuggestionsOf(store, issueIds),
    suggest: (all) =>
      write.transaction(async () => {
        const changed = new Set<number>()
        for (const [issueId, suggestions] of all) if (await replace(issueId, suggestions)) changed.add(issueId)
        return changed
      }),
    suggestionsDue: suggestionsDueOf(store),
    endSuggestionsDue: async ({ projectId, issueIds, sweepId, rules }) => {
      const last = issueIds.at(-1)
      await write.run(
        builder
          .updateTable('ownership')
          .set({ sweep_id: last === undefined ? null : last - 1 })
          .where('project_id', '=', projectId)
          // If the rules changed meanwhile, the check starts again.
          .where('sweep_id', '=', sweepId)
          .where('text', '=', rules),
      )
    },
  }
}

const isEqual = (suggestion: Suggestion, other: Suggestion | undefined) =>
  suggestion.userId === other?.userId && suggestion.rule === other.rule

/** Schedules a check of all issues of an organization against their rules, because an owner can be a new member. */
export async function sweepOrganization({ write, dialect: { builder } }: Store, organizationId: number): Promise<void> {
  await write.run(
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

/** Removes the suggestions of a former member from all issues of the organization. */
export async function dropSuggestionsOf(
  { write, dialect: { builder } }: Store,
  organizationId: number,
  userId: string,
): Promise<void> {
  await write.run(
    builder
      .deleteFrom('issue_suggestion')
      .where('user_id', '=', userId)
      .where('issue_id', 'in', builder.selectFrom('issue').select('id').where('organization_id', '=', organizationId)),
  )
}
