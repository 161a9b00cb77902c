import type { Selectable } from 'kysely'
import { MishapError } from '../../../base/errors.ts'
import type { Plan } from '../../../contract/explore/explore.ts'
import { spanFault } from '../../../domain/time-ranges.ts'
import type { ExploreTables } from '../database/explore-tables.ts'
import { demandFreeName } from '../database/free-name.ts'
import { staleError } from '../database/revision.ts'
import { fromJson, insertedId, type Store } from '../database/store.ts'

/** Saved queries of one person, and shared ones of one organization. */
export const queriesMax = 200
const nameCharactersMax = 64
export const planBytesMax = 64 * 1024
const namesMax = 100

/**
 * What a saved query opens: its plan, and the scope beside it. `projects` (ids) and `environments`: empty for all. `span`:
 * a length such as 14d, two ISO dates with a slash between them, or '' for the default range.
 */
export type SavedQueryParts = { plan: Plan; projects: string[]; environments: string[]; span: string }

/** A saved query of the person `userId`. Everybody in the organization can see shared ones. */
export type SavedQuery = SavedQueryParts & {
  id: number
  organizationId: number
  userId: string
  name: string
  shared: boolean
  createdMs: number
  updatedMs: number
  rev: number
}

type NewQuery = Omit<SavedQuery, 'id' | 'createdMs' | 'updatedMs' | 'rev'>

export type SavedQueryStore = {
  /** The shared queries of an organization and the person's own, by name. */
  savedQueriesOf(organizationId: number, userId: string): Promise<SavedQuery[]>
  savedQueryById(id: number): Promise<SavedQuery | undefined>
  /** Throws VALIDATION with fields, CONFLICT when there are already 200 queries or the name is taken. */
  saveQuery(value: NewQuery): Promise<SavedQuery>
  /** Changes the given fields. Throws NOT_FOUND, VALIDATION, CONFLICT (outdated `rev` or name taken). */
  updateQuery(
    id: number,
    change: Partial<Pick<SavedQuery, 'name' | 'shared'> & SavedQueryParts>,
    rev?: number | undefined,
  ): Promise<SavedQuery>
  /** Throws CONFLICT when `rev` is outdated. */
  deleteQuery(id: number, rev?: number | undefined): Promise<void>
}

const toQuery = (row: Selectable<ExploreTables['saved_query']>): SavedQuery => ({
  id: row.id,
  organizationId: row.organization_id,
  userId: row.user_id,
  name: row.name,
  shared: row.shared === 1,
  plan: fromJson<Plan>(row.plan),
  projects: fromJson<string[]>(row.projects),
  environments: fromJson<string[]>(row.environments),
  span: row.span,
  createdMs: row.created_ms,
  updatedMs: row.updated_ms,
  rev: row.rev,
})

const invalid = (field: string, sentence: string) =>
  new MishapError('VALIDATION', { detail: sentence, fields: { [field]: [sentence] } })

function checked(value: NewQuery): NewQuery {
  const name = value.name.trim()
  if (name === '' || name.length > nameCharactersMax || /\p{Cc}/u.test(name))
    throw invalid('name', `1 to ${nameCharactersMax} characters.`)
  if (Buffer.byteLength(JSON.stringify(value.plan)) > planBytesMax) throw invalid('plan', 'At most 64 KiB.')
  for (const field of ['projects', 'environments'] as const)
    if (value[field].length > namesMax || value[field].some((item) => item.length > 64))
      throw invalid(field, `At most ${namesMax} names.`)
  const wrongSpan = spanFault(value.span)
  if (wrongSpan !== undefined) throw invalid('statsPeriod', wrongSpan)
  return { ...value, name }
}

const rowOf = (value: NewQuery) => ({
  organization_id: value.organizationId,
  user_id: value.userId,
  name: value.name,
  shared: Number(value.shared),
  plan: JSON.stringify(value.plan),
  projects: JSON.stringify(value.projects),
  environments: JSON.stringify(value.environments),
  span: value.span,
})

/** Throws CONFLICT if another query of the same list has the name, or if the list is full. Ignores the query `butId`. */
async function demandFree({ write, dialect: { builder } }: Store, value: NewQuery, butId: number): Promise<void> {
  const list = builder
    .selectFrom('saved_query')
    .select(['id', 'name'])
    .where('organization_id', '=', value.organizationId)
    .where('shared', '=', value.shared ? 1 : 0)
  const others = (await write.all(value.shared ? list : list.where('user_id', '=', value.userId))).filter(
    (item) => item.id !== butId,
  )
  demandFreeName(others, value.name, {
    one: 'saved query',
    many: 'saved queries',
    max: queriesMax,
    end: 'Delete one first.',
  })
}

/** Implements saved queries. */
export function savedQueryPart(store: Store): SavedQueryStore {
  const { write, read, clock } = store
  const { builder } = store.dialect
  const all = () => builder.selectFrom('saved_query').selectAll()
  return {
    savedQueriesOf: async (organizationId, userId) =>
      (
        await read.all(
          all()
            .where('organization_id', '=', organizationId)
            .where((build) => build.or([build('shared', '=', 1), build('user_id', '=', userId)])),
        )
      )
        .map(toQuery)
        .sort((a, b) => a.name.localeCompare(b.name) || a.id - b.id),
    savedQueryById: async (id) => {
      const found = await read.get(all().where('id', '=', id))
      return found && toQuery(found)
    },
    saveQuery: (value) =>
      write.transaction(async () => {
        const valid = checked(value)
        await demandFree(store, valid, 0)
        const created = { ...rowOf(valid), created_ms: clock.now(), updated_ms: clock.now() }
        return toQuery({
          id: await insertedId(write, builder.insertInto('saved_query').values(created)),
          rev: 0,
          ...created,
        })
      }),
    updateQuery: (id, change, rev) =>
      write.transaction(async () => {
        const old = await write.get(all().where('id', '=', id))
        if (!old) throw new MishapError('NOT_FOUND')
        if (rev !== undefined && rev !== old.rev)
          throw await staleError(store, { rev: old.rev, userId: null, atMs: old.updated_ms })
        const valid = checked({ ...toQuery(old), ...change })
        await demandFree(store, valid, id)
        const next = { ...rowOf(valid), updated_ms: clock.now(), rev: old.rev + 1 }
        await write.run(builder.updateTable('saved_query').set(next).where('id', '=', id))
        return toQuery({ ...old, ...next })
      }),
    deleteQuery: (id, rev) =>
      write.transaction(async () => {
        const old = rev === undefined ? undefined : await write.get(all().where('id', '=', id))
        if (old && rev !== old.rev) throw await staleError(store, { rev: old.rev, userId: null, atMs: old.updated_ms })
        await write.run(builder.deleteFrom('saved_query').where('id', '=', id))
      }),
  }
}
