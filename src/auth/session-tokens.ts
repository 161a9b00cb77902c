import { createHash } from 'node:crypto'
import type { DBAdapter, Where } from 'better-auth'

/** Session tokens have 190 random bits, so a plain SHA-256 suffices. Only passwords need a slow hash. */
const hashOf = (token: string) => createHash('sha256').update(token).digest('base64url')

type HashedQuery = { where: Where[]; plainOf: ReadonlyMap<string, string> }

/** Returns the conditions with hashed tokens, and a map from hash to the given token. */
function hashed(where: readonly Where[] | undefined): HashedQuery {
  const plainOf = new Map<string, string>()
  const hash = (token: string) => {
    plainOf.set(hashOf(token), token)
    return hashOf(token)
  }
  const conditions = (where ?? []).map((condition): Where => {
    if (condition.field !== 'token') return condition
    if (typeof condition.value === 'string') return { ...condition, value: hash(condition.value) }
    if (Array.isArray(condition.value))
      return { ...condition, value: condition.value.map((token) => hash(String(token))) }
    throw new Error('A session is found by a whole token.')
  })
  return { where: conditions, plainOf }
}

/** Restores the token of a row that was queried by token. Other rows keep the hash, which opens no session. */
function withPlainToken<Row>(row: Row, { plainOf }: HashedQuery): Row {
  if (typeof row !== 'object' || row === null || !('token' in row) || typeof row.token !== 'string') return row
  const plain = plainOf.get(row.token)
  return plain === undefined ? row : { ...row, token: plain }
}

const isSession = ({ model }: { model: string }) => model === 'session'

/**
 * Stores only hashes of session tokens, so that a copy of the database or a backup opens no session. better-auth stores
 * plain tokens and has no setting for this. It still works with the token of the cookie.
 */
export function hashTokens(inner: DBAdapter): DBAdapter {
  const adapter: DBAdapter = {
    ...inner,
    create: async <Value extends Record<string, unknown>, Made = Value>(
      query: Parameters<typeof inner.create<Value, Made>>[0],
    ) => {
      if (!isSession(query)) return inner.create<Value, Made>(query)
      const token: unknown = Reflect.get(query.data, 'token')
      if (typeof token !== 'string') throw new Error('A session is made with a token.')
      const created = await inner.create<Value, Made>({ ...query, data: { ...query.data, token: hashOf(token) } })
      return withPlainToken(created, hashed([{ field: 'token', value: token }]))
    },
    findOne: async <Row>(query: Parameters<typeof inner.findOne>[0]) => {
      if (!isSession(query)) return inner.findOne<Row>(query)
      const by = hashed(query.where)
      return withPlainToken(await inner.findOne<Row>({ ...query, where: by.where }), by)
    },
    findMany: async <Row>(query: Parameters<typeof inner.findMany>[0]) => {
      if (!isSession(query)) return inner.findMany<Row>(query)
      const by = hashed(query.where)
      return (await inner.findMany<Row>({ ...query, where: by.where })).map((row) => withPlainToken(row, by))
    },
    update: async <Row>(query: Parameters<typeof inner.update>[0]) => {
      if (!isSession(query)) return inner.update<Row>(query)
      if ('token' in query.update) throw new Error('The token of a session does not change.')
      const by = hashed(query.where)
      return withPlainToken(await inner.update<Row>({ ...query, where: by.where }), by)
    },
    updateMany: (query) => inner.updateMany(isSession(query) ? { ...query, where: hashed(query.where).where } : query),
    delete: (query) => inner.delete(isSession(query) ? { ...query, where: hashed(query.where).where } : query),
    deleteMany: (query) => inner.deleteMany(isSession(query) ? { ...query, where: hashed(query.where).where } : query),
    count: (query) => inner.count(isSession(query) ? { ...query, where: hashed(query.where).where } : query),
    // The store runs no transactions for better-auth: the work uses this same adapter.
    transaction: (work) => work(adapter),
  }
  return adapter
}
