import { createHash } from 'node:crypto'
import type { Store } from '../database/store.ts'

/** Links that set a new password; the secret itself is never stored. */
export type ResetStore = {
  createReset(value: { userId: string; secret: string; nowMs: number; expiresMs: number }): void
  /** Links of a person that are still good. */
  openResets(userId: string, nowMs: number): number
  /** Whose link it is; undefined when there is none or it has expired. */
  resetBySecret(secret: string, nowMs: number): string | undefined
  /** The same, and the link is used up: only one caller gets it. */
  takeReset(secret: string, nowMs: number): string | undefined
  /** Ends all links of a person. */
  dropResets(userId: string): void
}

const hashOf = (secret: string) => createHash('sha256').update(secret).digest('hex')

/** Forgotten passwords. */
export function resetPart({ write, read, dialect: { builder } }: Store): ResetStore {
  const open = (secret: string, nowMs: number) =>
    builder
      .selectFrom('password_reset')
      .select('user_id')
      .where('token_hash', '=', hashOf(secret))
      .where('expires_ms', '>', nowMs)
  return {
    createReset: ({ userId, secret, nowMs, expiresMs }) =>
      write.transaction(() => {
        write.run(builder.deleteFrom('password_reset').where('expires_ms', '<=', nowMs))
        const row = { token_hash: hashOf(secret), user_id: userId, created_ms: nowMs, expires_ms: expiresMs }
        write.run(builder.insertInto('password_reset').values(row))
      }),
    openResets: (userId, nowMs) =>
      read.all(
        builder
          .selectFrom('password_reset')
          .select('token_hash')
          .where('user_id', '=', userId)
          .where('expires_ms', '>', nowMs),
      ).length,
    resetBySecret: (secret, nowMs) => read.get(open(secret, nowMs))?.user_id,
    takeReset: (secret, nowMs) =>
      write.transaction(() => {
        const row = write.get(open(secret, nowMs))
        if (row) write.run(builder.deleteFrom('password_reset').where('token_hash', '=', hashOf(secret)))
        return row?.user_id
      }),
    dropResets: (userId) => void write.run(builder.deleteFrom('password_reset').where('user_id', '=', userId)),
  }
}
