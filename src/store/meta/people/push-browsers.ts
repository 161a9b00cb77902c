import type { Selectable } from 'kysely'
import { insertedId, type Store } from '../database/store.ts'
import type { Tables } from '../database/tables.ts'

/** A browser of a person that wants push messages. `sealed` is JSON: its address at the push service and its keys. */
export type StoredBrowser = { id: number; userId: string; sealed: string; browser: string; createdMs: number }

export type PushBrowserStore = {
  /** Stores a browser. One with the same hash of its address is replaced, whoever it belonged to. */
  addBrowser(value: Omit<StoredBrowser, 'id'> & { endpointHash: string }): Promise<StoredBrowser>
  browserById(id: number): Promise<StoredBrowser | undefined>
  /** The browsers of these people, oldest first. */
  browsersOf(userIds: readonly string[]): Promise<StoredBrowser[]>
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
        const row = { user_id: userId, endpoint_hash: endpointHash, sealed, browser, created_ms: createdMs }
        const id = await insertedId(write, builder.insertInto('push_subscription').values(row))
        return toBrowser({ id, ...row })
      }),
    browserById: async (id) => {
      const row = await read.get(all.where('id', '=', id))
      return row && toBrowser(row)
    },
    browsersOf: async (userIds) =>
      userIds.length ? (await read.all(all.where('user_id', 'in', userIds).orderBy('id'))).map(toBrowser) : [],
    deleteBrowser: async (id) => {
      await write.run(builder.deleteFrom('push_subscription').where('id', '=', id))
    },
  }
}
