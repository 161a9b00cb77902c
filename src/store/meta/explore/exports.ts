import type { Selectable } from 'kysely'
import { MishapError } from '../../../base/errors.ts'
import type { Plan } from '../../../contract/explore/explore.ts'
import type { ExportFormat, ExportState } from '../../../domain/exports.ts'
import type { ExploreTables } from '../database/explore-tables.ts'
import { fromJson, insertedId, type Store } from '../database/store.ts'

/** What an export reads. The range is fixed when it is requested, so that a repeat after a crash reads the same. */
type ExportRequest = {
  plan: Plan
  projectIds: number[]
  environments: string[]
  fromMs: number
  toMs: number
}

/** An export of the person `userId`. */
export type Export = {
  id: number
  organizationId: number
  userId: string
  request: ExportRequest
  format: ExportFormat
  state: ExportState
  rowsDone: number
  /** Null: unknown until the rows are counted. */
  rowsTotal: number | null
  bytes: number
  /** '' without a file. */
  blobKey: string
  /** A sentence for people; '' if nothing failed. */
  error: string
  createdMs: number
  endedMs: number | null
}

export type ExportStore = {
  /** Throws CONFLICT if the person already has 5 exports that have not ended. */
  requestExport(value: Pick<Export, 'organizationId' | 'userId' | 'request' | 'format'>): Promise<Export>
  exportById(id: number): Promise<Export | undefined>
  /** The exports of a person in an organization, newest first, at most 50. */
  exportsOf(organizationId: number, userId: string): Promise<Export[]>
  /** Exports that have not ended, oldest first. */
  openExportsOf(): Promise<Export[]>
  /** Records progress. Returns false when the export was canceled or is gone. */
  progressExport(id: number, progress: Pick<Export, 'rowsDone' | 'rowsTotal' | 'bytes'>): Promise<boolean>
  /** Ends an open export. Returns false when it was canceled or is gone: the caller deletes the file. */
  endExport(id: number, result: Pick<Export, 'state' | 'rowsDone' | 'bytes' | 'blobKey' | 'error'>): Promise<boolean>
  /** Ended exports with a file, oldest first. */
  exportFilesOf(): Promise<Export[]>
  /** Bytes of all files. */
  exportBytesOf(): Promise<number>
  /** Forgets the file of an export. The caller deletes it. */
  expireExport(id: number): Promise<void>
  /** Deletes the rows of exports without a file that ended before this time. */
  dropExports(beforeMs: number): Promise<void>
  deleteExport(id: number): Promise<void>
}

/** Open exports of one person. */
const openMax = 5
const listMax = 50

const toExport = (row: Selectable<ExploreTables['export']>): Export => ({
  id: row.id,
  organizationId: row.organization_id,
  userId: row.user_id,
  request: fromJson<ExportRequest>(row.request),
  format: row.format as ExportFormat,
  state: row.state as ExportState,
  rowsDone: row.rows_done,
  rowsTotal: row.rows_total,
  bytes: row.bytes,
  blobKey: row.blob_key,
  error: row.error,
  createdMs: row.created_ms,
  endedMs: row.ended_ms,
})

/** Requests and their progress. */
function runPart({
  write,
  read,
  clock,
  dialect: { builder },
}: Store): Pick<ExportStore, 'requestExport' | 'openExportsOf' | 'progressExport' | 'endExport'> {
  const all = () => builder.selectFrom('export').selectAll()
  return {
    requestExport: ({ organizationId, userId, request, format }) =>
      write.transaction(async () => {
        const open = await write.all(
          builder.selectFrom('export').select('id').where('user_id', '=', userId).where('ended_ms', 'is', null),
        )
        if (open.length >= openMax)
          throw new MishapError('CONFLICT', {
            detail: `${openMax} of your exports have not ended. Wait for one, or cancel it.`,
          })
        const row = {
          organization_id: organizationId,
          user_id: userId,
          request: JSON.stringify(request),
          format,
          state: 'waiting',
          rows_done: 0,
          rows_total: null,
          bytes: 0,
          blob_key: '',
          error: '',
          created_ms: clock.now(),
          ended_ms: null,
        }
        return toExport({ id: await insertedId(write, builder.insertInto('export').values(row)), ...row })
      }),
    openExportsOf: async () => (await read.all(all().where('ended_ms', 'is', null).orderBy('id'))).map(toExport),
    progressExport: async (id, { rowsDone, rowsTotal, bytes }) => {
      const change = { state: 'running', rows_done: rowsDone, rows_total: rowsTotal, bytes }
      const { changes } = await write.run(
        builder.updateTable('export').set(change).where('id', '=', id).where('ended_ms', 'is', null),
      )
      return changes > 0
    },
    endExport: async (id, { state, rowsDone, bytes, blobKey, error }) => {
      const change = { state, rows_done: rowsDone, bytes, blob_key: blobKey, error, ended_ms: clock.now() }
      const { changes } = await write.run(
        builder.updateTable('export').set(change).where('id', '=', id).where('ended_ms', 'is', null),
      )
      return changes > 0
    },
  }
}

/** Implements exports. */
export function exportPart(store: Store): ExportStore {
  const {
    write,
    read,
    dialect: { builder },
  } = store
  const all = () => builder.selectFrom('export').selectAll()
  return {
    ...runPart(store),
    exportById: async (id) => {
      const found = await read.get(all().where('id', '=', id))
      return found && toExport(found)
    },
    exportsOf: async (organizationId, userId) =>
      (
        await read.all(
          all()
            .where('organization_id', '=', organizationId)
            .where('user_id', '=', userId)
            .orderBy('id', 'desc')
            .limit(listMax),
        )
      ).map(toExport),
    exportFilesOf: async () => (await read.all(all().where('blob_key', '!=', '').orderBy('id'))).map(toExport),
    exportBytesOf: async () =>
      (await read.all(builder.selectFrom('export').select('bytes').where('blob_key', '!=', ''))).reduce(
        (sum, row) => sum + row.bytes,
        0,
      ),
    expireExport: async (id) => {
      const change = { state: 'expired', blob_key: '', bytes: 0 }
      await write.run(builder.updateTable('export').set(change).where('id', '=', id))
    },
    dropExports: async (beforeMs) => {
      await write.run(builder.deleteFrom('export').where('ended_ms', '<', beforeMs).where('blob_key', '=', ''))
    },
    deleteExport: async (id) => {
      await write.run(builder.deleteFrom('export').where('id', '=', id))
    },
  }
}
