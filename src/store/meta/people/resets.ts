import { createHash } from 'node:crypto'
import type { Store } from '../database/store.ts'

/** Links to set a new password. The secret itself is never stored. */
export type ResetStore = {
  createReset(value: { userId: string; secret: string; nowMs: number; expiresMs: number }): Promise<void>
  /** Number of a person's valid links. */
  openResets(userId: string, nowMs: number): Promise<number>
  /** The user of a link; undefined when it is unknown or expired. */
  resetBySecret(secret: string, nowMs: number): Promise<string | undefined>
  /** Same as `resetBySecret`, and uses up the link: only one caller gets the user. */
  consumeReset(secret: string, nowMs: number): Promise<string | undefined>
  /** Deletes all links of a person. */
  dropResets(userId: string): Promise<void>
}

const hashOf = (secret: string) => createHash('sha256').update(secret).digest('hex')

/** Implements links for forgotten passwords. */
export function resetPart({ write, read, dialect: { builder } }: Store): ResetStore {
  const open = (secret: string, nowMs: number) =>
    builder
      .selectFrom('password_reset')
      .select('user_id')
      .where('token_hash', '=', hashOf(secret))
      .where('expires_ms', '>', nowMs)
  return {
    createReset: ({ userId, secret, nowMs, expiresMs }) =>
      write.transaction(async () => {
        await write.run(builder.deleteFrom('password_reset').where('expires_ms', '<=', nowMs))
        const row = { token_hash: hashOf(secret), user_id: userId, created_ms: nowMs, expires_ms: expiresMs }
        await write.run(builder.insertInto('password_reset').values(row))
      }),
    openResets: async (userId, nowMs) =>
      (
        await read.all(
          builder
            .selectFrom('password_reset')
            .select('token_hash')
            .where('user_id', '=', userId)
            .where('expires_ms', '>', nowMs),
        )
      ).length,
    resetBySecret: async (secret, nowMs) => (await read.get(open(secret, nowMs)))?.user_id,
    consumeReset: (secret, nowMs) =>
      write.transaction(async () => {
        const row = await write.get(open(secret, nowMs))
        if (row) await write.run(builder.deleteFrom('password_reset').where('token_hash', '=', hashOf(secret)))
        return row?.user_id
      }),
    dropResets: async (userId) => {
      await write.run(builder.deleteFrom('password_reset').where('user_id', '=', userId))
    },
  }
}
