import { createHash } from 'node:crypto'
import type { DBAdapter, Where } from 'better-auth'

/** Session tokens have 190 random bits, so a plain SHA-256 suffices. Only passwords need a slow hash. */
const hashOf = (token: string) => createHash('sha256').update(token).digest('base64url')

type Asked = { where: Where[]; plainOf: ReadonlyMap<string, string> }

/** Returns the conditions with hashed tokens, and a map from hash to the given token. */
function hashed(where: readonly Where[] | undefined): Asked {
  const plainOf = new Map<string, string>()
  const hash = (token: string) => {
    plainOf.set(hashOf(token), token)
    return hashOf(token)
  }
  const conditions = (where ?? []).map((item): Where => {
    if (item.field !== 'token') return item
    if (typeof item.value === 'string') return { ...item, value: hash(item.value) }
    if (Array.isArray(item.value)) return { ...item, value: item.value.map((token) => hash(String(token))) }
    throw new Error('A session is found by a whole token.')
  })
  return { where: conditions, plainOf }
}

/** Restores the token of a row that was queried by token. Other rows keep the hash, which opens no session. */
function known<Row>(row: Row, { plainOf }: Asked): Row {
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
      asked: Parameters<typeof inner.create<Value, Made>>[0],
    ) => {
      if (!isSession(asked)) return inner.create<Value, Made>(asked)
      const token: unknown = Reflect.get(asked.data, 'token')
      if (typeof token !== 'string') throw new Error('A session is made with a token.')
      const made = await inner.create<Value, Made>({ ...asked, data: { ...asked.data, token: hashOf(token) } })
      return known(made, hashed([{ field: 'token', value: token }]))
    },
    findOne: async <Row>(asked: Parameters<typeof inner.findOne>[0]) => {
      if (!isSession(asked)) return inner.findOne<Row>(asked)
      const by = hashed(asked.where)
      return known(await inner.findOne<Row>({ ...asked, where: by.where }), by)
    },
    findMany: async <Row>(asked: Parameters<typeof inner.findMany>[0]) => {
      if (!isSession(asked)) return inner.findMany<Row>(asked)
      const by = hashed(asked.where)
      return (await inner.findMany<Row>({ ...asked, where: by.where })).map((row) => known(row, by))
    },
    update: async <Row>(asked: Parameters<typeof inner.update>[0]) => {
      if (!isSession(asked)) return inner.update<Row>(asked)
      if ('token' in asked.update) throw new Error('The token of a session does not change.')
      const by = hashed(asked.where)
      return known(await inner.update<Row>({ ...asked, where: by.where }), by)
    },
    updateMany: (asked) => inner.updateMany(isSession(asked) ? { ...asked, where: hashed(asked.where).where } : asked),
    delete: (asked) => inner.delete(isSession(asked) ? { ...asked, where: hashed(asked.where).where } : asked),
    deleteMany: (asked) => inner.deleteMany(isSession(asked) ? { ...asked, where: hashed(asked.where).where } : asked),
    count: (asked) => inner.count(isSession(asked) ? { ...asked, where: hashed(asked.where).where } : asked),
    // The store runs no transactions for better-auth: the work uses this same adapter.
    transaction: (work) => work(adapter),
  }
  return adapter
}
