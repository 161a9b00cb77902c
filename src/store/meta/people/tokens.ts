import { createHash } from 'node:crypto'
import type { Selectable } from 'kysely'
import { checkName } from '../database/names.ts'
import { fromJson, insertedId, type Store } from '../database/store.ts'
import type { Tables } from '../database/tables.ts'
import type { ApiToken } from '../meta.ts'

/** The time of last use is written at most once a minute, not for each request. */
const lastUsedMs = 60_000
/** `sntryu_` and four characters: enough to distinguish tokens on a page. */
const prefixCharacters = 11
const organizationPrefix = 'sntrys_'

/** Organization tokens all have the same beginning, so their last four characters are shown. */
const shownOf = (secret: string) =>
  secret.startsWith(organizationPrefix)
    ? `${organizationPrefix}…${secret.slice(-4)}`
    : secret.slice(0, prefixCharacters)

const toToken = (row: Selectable<Tables['api_token']>): ApiToken => ({
  id: row.id,
  name: row.name,
  prefix: row.prefix,
  userId: row.user_id,
  organizationId: row.organization_id,
  ofOrganization: row.prefix.startsWith(organizationPrefix),
  scopes: fromJson<string[]>(row.scopes),
  createdMs: row.created_ms,
  lastUsedMs: row.last_used_ms,
})

/** The secret has 256 random bits, so plain SHA-256 is safe. A slow hash, as for passwords, is not needed. */
const hashOf = (secret: string) => createHash('sha256').update(secret).digest('hex')

/** API tokens of people and organizations. */
export type TokenStore = {
  createToken(value: {
    name: string
    userId: string
    organizationId: number | null
    scopes: string[]
    secret: string
    nowMs: number
  }): Promise<ApiToken>
  tokenBySecret(secret: string): Promise<ApiToken | undefined>
  /** A person's own tokens. */
  tokensOf(userId: string): Promise<ApiToken[]>
  /** The organization's own tokens, oldest first. */
  tokensOfOrganization(organizationId: number): Promise<ApiToken[]>
  deleteToken(id: number): Promise<void>
}

/** Implements API tokens. The secret itself is never stored. */
export function tokenPart({ write, read, dialect: { builder }, clock }: Store): TokenStore {
  return {
    createToken: async ({ name, userId, organizationId, scopes, secret, nowMs }) => {
      const row = {
        name: checkName(name),
        prefix: shownOf(secret),
        hash: hashOf(secret),
        user_id: userId,
        organization_id: organizationId,
        scopes: JSON.stringify(scopes),
        created_ms: nowMs,
        last_used_ms: null,
      }
      const lastId = await insertedId(write, builder.insertInto('api_token').values(row))
      return toToken({ id: lastId, ...row })
    },
    tokenBySecret: async (secret) => {
      const row = await read.get(builder.selectFrom('api_token').selectAll().where('hash', '=', hashOf(secret)))
      if (!row) return undefined
      const now = clock.now()
      if (row.last_used_ms !== null && now - row.last_used_ms < lastUsedMs) return toToken(row)
      await write.run(builder.updateTable('api_token').set({ last_used_ms: now }).where('id', '=', row.id))
      return toToken({ ...row, last_used_ms: now })
    },
    tokensOf: async (userId) =>
      (await read.all(builder.selectFrom('api_token').selectAll().where('user_id', '=', userId).orderBy('id')))
        .map(toToken)
        .filter((item) => !item.ofOrganization),
    tokensOfOrganization: async (organizationId) =>
      (
        await read.all(
          builder.selectFrom('api_token').selectAll().where('organization_id', '=', organizationId).orderBy('id'),
        )
      )
        .map(toToken)
        .filter((item) => item.ofOrganization),
    deleteToken: async (id) => {
      await write.run(builder.deleteFrom('api_token').where('id', '=', id))
    },
  }
}
