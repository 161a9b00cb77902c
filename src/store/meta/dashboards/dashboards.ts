import type { Selectable } from 'kysely'
import { MishapError } from '../../../base/errors.ts'
import { staleError } from '../database/revision.ts'
import { insertedId, type Store } from '../database/store.ts'
import type { Tables } from '../database/tables.ts'

/** Maximum dashboards of an organization, and of one person's own ones there. */
export const dashboardsMax = 200
/** Earlier states of a dashboard that are kept. */
export const revisionsMax = 30
/** Maximum size of the tiles and variables of a dashboard, as JSON. */
export const contentCharactersMax = 512 * 1024
const titleCharactersMax = 120

/** A dashboard of the person `userId`. Everybody in the organization can see shared dashboards. */
export type Dashboard = {
  id: number
  organizationId: number
  userId: string
  title: string
  shared: boolean
  /** Tiles and variables as JSON. Its shape is checked before it is stored (operations/dashboards.ts). */
  content: string
  createdMs: number
  rev: number
  changedMs: number | null
  changedBy: string | null
}

/** An earlier state of a dashboard. `atMs`, `userId`: when and by whom this state was made. */
type DashboardRevision = Pick<Dashboard, 'rev' | 'title' | 'content'> & { atMs: number; userId: string | null }

type Values = Pick<Dashboard, 'title' | 'shared' | 'content'>

export type DashboardStore = {
  /** The shared dashboards of an organization and the person's own, by title. */
  listDashboards(organizationId: number, userId: string): Promise<Dashboard[]>
  dashboardById(id: number): Promise<Dashboard | undefined>
  /** Throws VALIDATION with fields, CONFLICT when there are already 200 dashboards. */
  createDashboard(value: { organizationId: number; userId: string } & Values): Promise<Dashboard>
  /** Changes the given fields and keeps the state before. Throws NOT_FOUND, VALIDATION, CONFLICT (outdated `rev`). */
  updateDashboard(id: number, change: Partial<Values>, userId: string | null, rev?: number): Promise<Dashboard>
  /** Throws CONFLICT when `rev` is outdated. */
  deleteDashboard(id: number, rev?: number): Promise<void>
  /** The kept states of a dashboard without the current state, newest first. */
  listDashboardRevisions(id: number): Promise<DashboardRevision[]>
  /** The dashboards that a person has marked: ids, and names of ready-made ones. */
  favouriteDashboardsOf(organizationId: number, userId: string): Promise<string[]>
  setFavouriteDashboard(organizationId: number, userId: string, dashboard: string, isFavourite: boolean): Promise<void>
}

const toDashboard = (row: Selectable<Tables['dashboard']>): Dashboard => ({
  id: row.id,
  organizationId: row.organization_id,
  userId: row.user_id,
  title: row.title,
  shared: row.shared === 1,
  content: row.content,
  createdMs: row.created_ms,
  rev: row.rev,
  changedMs: row.changed_ms,
  changedBy: row.changed_by,
})

const invalid = (field: string, sentence: string) =>
  new MishapError('VALIDATION', { detail: sentence, fields: { [field]: [sentence] } })

function checked<Value extends Values>(value: Value): Value {
  const title = value.title.trim()
  if (title === '' || title.length > titleCharactersMax || /\p{Cc}/u.test(title))
    throw invalid('title', `1 to ${titleCharactersMax} characters.`)
  if (value.content.length > contentCharactersMax)
    throw invalid('widgets', `The tiles are over ${contentCharactersMax / 1024} KiB. Split the dashboard.`)
  return { ...value, title }
}

/** Throws CONFLICT when the organization, or the person in it, already has the most dashboards. */
async function demandFree(
  { write, dialect: { builder } }: Store,
  { organizationId, userId, shared }: { organizationId: number; userId: string; shared: boolean },
): Promise<void> {
  const list = builder
    .selectFrom('dashboard')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('shared', '=', shared ? 1 : 0)
  const others = await write.all(shared ? list : list.where('user_id', '=', userId))
  if (others.length >= dashboardsMax)
    throw new MishapError('CONFLICT', {
      detail: `There are already ${dashboardsMax} dashboards. Delete a dashboard first.`,
    })
}

/** Stores the state of a dashboard as a revision, and drops those beyond the limit. */
async function keepRevision({ write, dialect: { builder } }: Store, old: Selectable<Tables['dashboard']>) {
  await write.run(
    builder.insertInto('dashboard_revision').values({
      dashboard_id: old.id,
      rev: old.rev,
      title: old.title,
      content: old.content,
      user_id: old.rev === 0 ? old.user_id : old.changed_by,
      at_ms: old.changed_ms ?? old.created_ms,
    }),
  )
  await write.run(
    builder
      .deleteFrom('dashboard_revision')
      .where('dashboard_id', '=', old.id)
      .where('rev', '<=', old.rev - revisionsMax),
  )
}

type Changes = Pick<DashboardStore, 'createDashboard' | 'updateDashboard' | 'deleteDashboard'>

function changePart(store: Store): Changes {
  const { write, clock } = store
  const { builder } = store.dialect
  const rowById = (id: number) => write.get(builder.selectFrom('dashboard').selectAll().where('id', '=', id))
  return {
    createDashboard: (value) =>
      write.transaction(async () => {
        const { organizationId, userId, title, shared, content } = checked(value)
        await demandFree(store, value)
        const created = {
          organization_id: organizationId,
          user_id: userId,
          title,
          shared: shared ? 1 : 0,
          content,
          created_ms: clock.now(),
        }
        const id = await insertedId(write, builder.insertInto('dashboard').values(created))
        return toDashboard({ id, rev: 0, changed_ms: null, changed_by: null, ...created })
      }),
    updateDashboard: (id, change, userId, rev) =>
      write.transaction(async () => {
        const old = await rowById(id)
        if (!old) throw new MishapError('NOT_FOUND')
        if (rev !== undefined && rev !== old.rev)
          throw await staleError(store, { rev: old.rev, userId: old.changed_by, atMs: old.changed_ms })
        const before = toDashboard(old)
        const valid = checked({ ...before, ...change })
        if (valid.shared !== before.shared) await demandFree(store, valid)
        await keepRevision(store, old)
        const next = {
          title: valid.title,
          shared: valid.shared ? 1 : 0,
          content: valid.content,
          rev: old.rev + 1,
          changed_ms: clock.now(),
          changed_by: userId,
        }
        await write.run(builder.updateTable('dashboard').set(next).where('id', '=', id))
        return toDashboard({ ...old, ...next })
      }),
    deleteDashboard: (id, rev) =>
      write.transaction(async () => {
        const old = rev === undefined ? undefined : await rowById(id)
        if (old && rev !== old.rev)
          throw await staleError(store, { rev: old.rev, userId: old.changed_by, atMs: old.changed_ms })
        await write.run(builder.deleteFrom('dashboard_favourite').where('dashboard', '=', String(id)))
        await write.run(builder.deleteFrom('dashboard').where('id', '=', id))
      }),
  }
}

/** Implements dashboards, their earlier states and who marked them. */
export function dashboardPart(store: Store): DashboardStore {
  const { write, read } = store
  const { builder } = store.dialect
  const all = () => builder.selectFrom('dashboard').selectAll()
  return {
    listDashboards: async (organizationId, userId) =>
      (
        await read.all(
          all()
            .where('organization_id', '=', organizationId)
            .where((build) => build.or([build('shared', '=', 1), build('user_id', '=', userId)])),
        )
      )
        .map(toDashboard)
        .sort((a, b) => a.title.localeCompare(b.title) || a.id - b.id),
    dashboardById: async (id) => {
      const found = await read.get(all().where('id', '=', id))
      return found && toDashboard(found)
    },
    listDashboardRevisions: async (id) =>
      (
        await read.all(
          builder
            .selectFrom('dashboard_revision')
            .selectAll()
            .where('dashboard_id', '=', id)
            .orderBy('rev', 'desc')
            .limit(revisionsMax),
        )
      ).map(({ rev, title, content, user_id, at_ms }) => ({ rev, title, content, userId: user_id, atMs: at_ms })),
    favouriteDashboardsOf: async (organizationId, userId) =>
      (
        await read.all(
          builder
            .selectFrom('dashboard_favourite')
            .select('dashboard')
            .where('organization_id', '=', organizationId)
            .where('user_id', '=', userId),
        )
      ).map((row) => row.dashboard),
    setFavouriteDashboard: async (organizationId, userId, dashboard, isFavourite) => {
      const row = { organization_id: organizationId, user_id: userId, dashboard }
      await write.run(
        isFavourite
          ? builder
              .insertInto('dashboard_favourite')
              .values(row)
              .onConflict((conflict) => conflict.doNothing())
          : builder
              .deleteFrom('dashboard_favourite')
              .where('organization_id', '=', organizationId)
              .where('user_id', '=', userId)
              .where('dashboard', '=', dashboard),
      )
    },
    ...changePart(store),
  }
}
