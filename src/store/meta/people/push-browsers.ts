import type { Selectable } from 'kysely'
import { insertedId, type Store } from '../database/store.ts'
import type { Tables } from '../database/tables.ts'

/** A browser of a person that wants push messages. `sealed` is JSON: its address at the push service and its keys. */
export type StoredBrowser = { id: number; userId: string; sealed: string; browser: string; createdMs: number }
/** A browser that its push service does not know any more. */
type GoneBrowser = Omit<StoredBrowser, 'sealed'> & { goneMs: number }

export type PushBrowserStore = {
  /**
   * Stores a browser. One with the same hash of its address is replaced, whoever it belonged to, and so are those of the
   * person that are gone and have the same name.
   */
  addBrowser(value: Omit<StoredBrowser, 'id'> & { endpointHash: string }): Promise<StoredBrowser>
  browserById(id: number): Promise<StoredBrowser | undefined>
  /** The browsers of these people that get messages, oldest first. */
  browsersOf(userIds: readonly string[]): Promise<StoredBrowser[]>
  /** Browsers of a person that are gone, the latest first. */
  goneBrowsersOf(userId: string): Promise<GoneBrowser[]>
  /** Forgets the address and the keys of a browser that is gone, and notes the time for its person. */
  endBrowser(id: number, nowMs: number): Promise<void>
  deleteBrowser(id: number): Promise<void>
}

const toBrowser = (row: Selectable<Tables['push_subscription']>): StoredBrowser => ({
  id: row.id,
  userId: row.user_id,
  sealed: row.sealed,
  browser: row.browser,
  createdMs: row.created_ms,
})

/** Implements browsers that want push messages. */
export function pushBrowserPart({ write, read, dialect: { builder } }: Store): PushBrowserStore {
  const all = builder.selectFrom('push_subscription').selectAll()
  return {
    addBrowser: ({ userId, sealed, browser, createdMs, endpointHash }) =>
      write.transaction(async () => {
        await write.run(builder.deleteFrom('push_subscription').where('endpoint_hash', '=', endpointHash))
        const gone = builder.deleteFrom('push_subscription').where('gone_ms', 'is not', null)
        await write.run(gone.where('user_id', '=', userId).where('browser', '=', browser))
        const row = { user_id: userId, endpoint_hash: endpointHash, sealed, browser, created_ms: createdMs }
        const id = await insertedId(write, builder.insertInto('push_subscription').values(row))
        return toBrowser({ id, ...row, gone_ms: null })
      }),
    browserById: async (id) => {
      const row = await read.get(all.where('id', '=', id))
      return row && toBrowser(row)
    },
    browsersOf: async (userIds) =>
      userIds.length
        ? (await read.all(all.where('user_id', 'in', userIds).where('gone_ms', 'is', null).orderBy('id'))).map(
            toBrowser,
          )
        : [],
    goneBrowsersOf: async (userId) =>
      (await read.all(all.where('user_id', '=', userId).where('gone_ms', 'is not', null).orderBy('id', 'desc'))).map(
        ({ gone_ms, ...row }) => ({
          id: row.id,
          userId: row.user_id,
          browser: row.browser,
          createdMs: row.created_ms,
          goneMs: gone_ms ?? 0,
        }),
      ),
    endBrowser: async (id, nowMs) => {
      const gone = { gone_ms: nowMs, sealed: '' }
      await write.run(builder.updateTable('push_subscription').set(gone).where('id', '=', id))
    },
    deleteBrowser: async (id) => {
      await write.run(builder.deleteFrom('push_subscription').where('id', '=', id))
    },
  }
}
