import type { Selectable } from 'kysely'
import { MishapError } from '../../../base/errors.ts'
import { spanFault } from '../../../domain/time-ranges.ts'
import { hasColumns, isColumnName, type ViewScope, viewColumnsMax, viewFacetsMax } from '../../../domain/view-scopes.ts'
import { demandFreeName } from '../database/free-name.ts'
import { staleError } from '../database/revision.ts'
import { fromJson, insertedId, type Store } from '../database/store.ts'
import type { Tables } from '../database/tables.ts'

/** Maximum saved views of one person, and of shared views of one organization. */
export const searchesMax = 100
const nameCharactersMax = 64
/** Same limit as in search/parse.ts. */
const queryCharactersMax = 4096
const namesMax = 100

/**
 * The content of a saved view. `sort`: a sort order of its list (domain/view-scopes.ts). `projects` (ids) and `environments`: empty for
 * all. `span`: a relative length such as 14d, two ISO dates with a slash between them, or '' for the default range.
 * `columns`: what a view of logs shows beside the message; `facets`: the fields whose values it counts beside the usual ones.
 * Both also have names that this version does not know.
 */
export type SearchView = {
  query: string
  sort: string
  projects: string[]
  environments: string[]
  span: string
  columns: string[]
  facets: string[]
}

/** A saved view of the person `userId`. Everybody in the organization can see shared views. */
export type SavedSearch = SearchView & {
  id: number
  organizationId: number
  /** The list that it is a view of. */
  scope: ViewScope
  userId: string
  name: string
  shared: boolean
  createdMs: number
  rev: number
}

export type SearchStore = {
  /** The shared views of an organization's list and the person's own, by name. */
  savedSearches(organizationId: number, userId: string, scope: ViewScope): Promise<SavedSearch[]>
  savedSearchById(id: number): Promise<SavedSearch | undefined>
  /** Throws VALIDATION with fields, CONFLICT when there are already 100 views or the name is taken. */
  saveSearch(
    value: { organizationId: number; scope: ViewScope; userId: string; name: string; shared: boolean } & SearchView,
  ): Promise<SavedSearch>
  /** Changes the given fields. Throws NOT_FOUND, VALIDATION, CONFLICT (outdated `rev` or name taken). */
  updateSearch(
    id: number,
    change: Partial<{ name: string; shared: boolean } & SearchView>,
    rev?: number | undefined,
  ): Promise<SavedSearch>
  /** Throws CONFLICT when `rev` is outdated. */
  deleteSearch(id: number, rev?: number | undefined): Promise<void>
  /** The views that a person's lists of an organization open with. A shared view may be private by now. */
  defaultSearchesOf(organizationId: number, userId: string): Promise<number[]>
  /** Sets the view that the person's list opens with, or ends it if it is this view. Throws NOT_FOUND. */
  setDefaultSearch(
    search: Pick<SavedSearch, 'id' | 'organizationId' | 'scope'>,
    userId: string,
    isDefault: boolean,
  ): Promise<void>
}

const toSearch = (row: Selectable<Tables['saved_search']>): SavedSearch => ({
  id: row.id,
  organizationId: row.organization_id,
  scope: row.scope,
  userId: row.user_id,
  name: row.name,
  shared: row.shared === 1,
  query: row.query,
  sort: row.sort,
  projects: fromJson<string[]>(row.projects),
  environments: fromJson<string[]>(row.environments),
  span: row.span,
  columns: fromJson<string[]>(row.columns),
  facets: fromJson<string[]>(row.facets),
  createdMs: row.created_ms,
  rev: row.rev,
})

const invalid = (field: string, sentence: string) =>
  new MishapError('VALIDATION', { detail: sentence, fields: { [field]: [sentence] } })

/** The columns and facets of a view, each once. */
function checkedLists(
  value: Pick<SavedSearch, 'scope' | 'columns' | 'facets'>,
): Pick<SavedSearch, 'columns' | 'facets'> {
  const lists = { columns: [...new Set(value.columns)], facets: [...new Set(value.facets)] }
  for (const [field, max] of [
    ['columns', viewColumnsMax],
    ['facets', viewFacetsMax],
  ] as const) {
    if (lists[field].length > 0 && !hasColumns(value.scope)) throw invalid(field, `Only a view of logs has ${field}.`)
    if (lists[field].length > max || !lists[field].every(isColumnName))
      throw invalid(field, `At most ${max} names, without commas.`)
  }
  return lists
}

function checked(value: Omit<SavedSearch, 'id' | 'rev' | 'createdMs'>): typeof value {
  const name = value.name.trim()
  if (name === '' || name.length > nameCharactersMax || /\p{Cc}/u.test(name))
    throw invalid('name', `1 to ${nameCharactersMax} characters.`)
  if (value.query.length > queryCharactersMax) throw invalid('query', `At most ${queryCharactersMax} characters.`)
  for (const field of ['projects', 'environments'] as const)
    if (value[field].length > namesMax || value[field].some((item) => item.length > 64))
      throw invalid(field, `At most ${namesMax} names.`)
  const wrongSpan = spanFault(value.span)
  if (wrongSpan !== undefined) throw invalid('statsPeriod', wrongSpan)
  return { ...value, name, ...checkedLists(value) }
}

/** Returns the columns of a view. */
const rowOf = (value: ReturnType<typeof checked>) => ({
  organization_id: value.organizationId,
  scope: value.scope,
  user_id: value.userId,
  name: value.name,
  shared: Number(value.shared),
  query: value.query,
  sort: value.sort,
  span: value.span,
  projects: JSON.stringify(value.projects),
  environments: JSON.stringify(value.environments),
  columns: JSON.stringify(value.columns),
  facets: JSON.stringify(value.facets),
})

/**
 * Throws CONFLICT when another view of the same list has the name, or when the list already has 100 views. A list is
 * the shared views of the organization, or the person's own views. Ignores the view `butId`.
 */
async function demandFree(
  { write, dialect: { builder } }: Store,
  value: ReturnType<typeof checked>,
  butId: number,
): Promise<void> {
  const { organizationId, scope, userId, shared } = value
  const list = builder
    .selectFrom('saved_search')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('scope', '=', scope)
    .where('shared', '=', shared ? 1 : 0)
  const others = (await write.all(shared ? list : list.where('user_id', '=', userId))).filter(
    (item) => item.id !== butId,
  )
  demandFreeName(others, value.name, { one: 'view', many: 'views', max: searchesMax, end: 'Delete a view first.' })
}

/** The views that lists open with. */
function defaultPart({
  write,
  read,
  dialect: { builder },
}: Store): Pick<SearchStore, 'defaultSearchesOf' | 'setDefaultSearch'> {
  return {
    defaultSearchesOf: async (organizationId, userId) =>
      (
        await read.all(
          builder
            .selectFrom('search_default')
            .select('search_id')
            .where('organization_id', '=', organizationId)
            .where('user_id', '=', userId),
        )
      ).map((row) => row.search_id),
    setDefaultSearch: async ({ id, organizationId, scope }, userId, isDefault) => {
      if (!isDefault) {
        await write.run(
          builder
            .deleteFrom('search_default')
            .where('organization_id', '=', organizationId)
            .where('user_id', '=', userId)
            .where('scope', '=', scope)
            .where('search_id', '=', id),
        )
        return
      }
      // One statement: two requests that delete and insert would both insert on PostgreSQL, and one would fail.
      const { changes } = await write.run(
        builder
          .insertInto('search_default')
          .columns(['organization_id', 'user_id', 'scope', 'search_id'])
          .expression(
            builder
              .selectFrom('saved_search')
              .select((build) => [
                'organization_id',
                build.cast<string>(build.val(userId), 'text').as('user_id'),
                'scope',
                'id',
              ])
              .where('id', '=', id),
          )
          .onConflict((conflict) =>
            conflict
              .columns(['organization_id', 'user_id', 'scope'])
              .doUpdateSet((build) => ({ search_id: build.ref('excluded.search_id') })),
          ),
      )
      if (changes === 0) throw new MishapError('NOT_FOUND')
    },
  }
}

/** Implements saved views of lists. */
export function searchPart(store: Store): SearchStore {
  const { write, read, clock } = store
  const { builder } = store.dialect
  const all = () => builder.selectFrom('saved_search').selectAll()
  return {
    savedSearches: async (organizationId, userId, scope) =>
      (
        await read.all(
          all()
            .where('organization_id', '=', organizationId)
            .where('scope', '=', scope)
            .where((build) => build.or([build('shared', '=', 1), build('user_id', '=', userId)])),
        )
      )
        .map(toSearch)
        .sort((a, b) => a.name.localeCompare(b.name) || a.id - b.id),
    savedSearchById: async (id) => {
      const found = await read.get(all().where('id', '=', id))
      return found && toSearch(found)
    },
    saveSearch: (value) =>
      write.transaction(async () => {
        const valid = checked(value)
        await demandFree(store, valid, 0)
        const created = { ...rowOf(valid), created_ms: clock.now() }
        return toSearch({
          id: await insertedId(write, builder.insertInto('saved_search').values(created)),
          rev: 0,
          ...created,
        })
      }),
    updateSearch: (id, change, rev) =>
      write.transaction(async () => {
        const old = await write.get(all().where('id', '=', id))
        if (!old) throw new MishapError('NOT_FOUND')
        if (rev !== undefined && rev !== old.rev)
          throw await staleError(store, { rev: old.rev, userId: null, atMs: null })
        const before = toSearch(old)
        const valid = checked({ ...before, ...change })
        await demandFree(store, valid, id)
        const next = { ...rowOf(valid), rev: old.rev + 1 }
        await write.run(builder.updateTable('saved_search').set(next).where('id', '=', id))
        return toSearch({ ...old, ...next })
      }),
    deleteSearch: (id, rev) =>
      write.transaction(async () => {
        const old = rev === undefined ? undefined : await write.get(all().where('id', '=', id))
        if (old && rev !== old.rev) throw await staleError(store, { rev: old.rev, userId: null, atMs: null })
        await write.run(builder.deleteFrom('saved_search').where('id', '=', id))
      }),
    ...defaultPart(store),
  }
}
