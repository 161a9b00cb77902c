import { createHash } from 'node:crypto'
import type { Selectable, Updateable } from 'kysely'
import type { Store } from '../database/store.ts'
import type { Tables } from '../database/tables.ts'

/** Represents all addresses of a channel that was created before addresses had to confirm. */
export const everyAddress = '*'

/** The state of an address in a mail channel. The link's secret itself is never stored. */
type ChannelAddress = {
  channelId: number
  /** Lower case. */
  address: string
  /** Time of the last sent mail with a link; null: none. */
  askedMs: number | null
  confirmedMs: number | null
  /** Why the last mail could not be sent. */
  error: string
}

/** Confirmations of people that they want the mails of a channel. */
export type ChannelAddressStore = {
  addressesOf(channelId: number): Promise<ChannelAddress[]>
  /** Stores that a mail with this secret was sent. An earlier link of the address stops working. */
  recordConfirmationMail(value: {
    channelId: number
    address: string
    secret: string
    nowMs: number
    expiresMs: number
  }): Promise<void>
  /** Stores why no mail was sent. */
  recordMailError(channelId: number, address: string, error: string): Promise<void>
  /** The address of a link; undefined for an unknown link, or one that expired before it was used. */
  addressBySecret(secret: string, nowMs: number): Promise<ChannelAddress | undefined>
  /** Same as `addressBySecret`, and confirms the address. */
  confirmAddress(secret: string, nowMs: number): Promise<ChannelAddress | undefined>
  /** Updates the addresses of a channel: the `retained` ones keep their state, all others are deleted. */
  retainAddresses(channelId: number, retained: string[]): Promise<void>
}

type ConfirmationColumns = Pick<
  Updateable<Tables['channel_address']>,
  'token_hash' | 'asked_ms' | 'expires_ms' | 'confirmed_ms'
> & {
  error?: string
}

const hashOf = (secret: string) => createHash('sha256').update(secret).digest('hex')

const toAddress = (row: Selectable<Tables['channel_address']>): ChannelAddress => ({
  channelId: row.channel_id,
  address: row.address,
  askedMs: row.asked_ms,
  confirmedMs: row.confirmed_ms,
  error: row.error,
})

/** Implements addresses of mail channels. */
export function channelAddressPart({ write, read, dialect: { builder } }: Store): ChannelAddressStore {
  const rows = builder.selectFrom('channel_address').selectAll()
  const bySecret = (secret: string, nowMs: number) =>
    rows
      .where('token_hash', '=', hashOf(secret))
      .where((where) => where.or([where('expires_ms', '>', nowMs), where('confirmed_ms', 'is not', null)]))
  const put = async (channelId: number, address: string, value: ConfirmationColumns) => {
    const key = { channel_id: channelId, address: address.toLowerCase() }
    const insert = builder.insertInto('channel_address').values({ error: '', ...value, ...key })
    await write.run(insert.onConflict((conflict) => conflict.columns(['channel_id', 'address']).doUpdateSet(value)))
  }
  return {
    addressesOf: async (channelId) => (await read.all(rows.where('channel_id', '=', channelId))).map(toAddress),
    recordConfirmationMail: ({ channelId, address, secret, nowMs, expiresMs }) =>
      put(channelId, address, { token_hash: hashOf(secret), asked_ms: nowMs, expires_ms: expiresMs, error: '' }),
    recordMailError: (channelId, address, error) => put(channelId, address, { error }),
    addressBySecret: async (secret, nowMs) => {
      const row = await read.get(bySecret(secret, nowMs))
      return row && toAddress(row)
    },
    confirmAddress: (secret, nowMs) =>
      write.transaction(async () => {
        const row = await write.get(bySecret(secret, nowMs))
        if (!row) return undefined
        const confirmedMs = row.confirmed_ms ?? nowMs
        const updateQueryBuilder = builder.updateTable('channel_address').where('token_hash', '=', hashOf(secret))
        await write.run(updateQueryBuilder.set({ confirmed_ms: confirmedMs, error: '' }))
        return toAddress({ ...row, confirmed_ms: confirmedMs, error: '' })
      }),
    retainAddresses: (channelId, retained) =>
      write.transaction(async () => {
        const addresses = retained.map((item) => item.toLowerCase())
        const every = await write.get(rows.where('channel_id', '=', channelId).where('address', '=', everyAddress))
        for (const address of every ? addresses : [])
          await put(channelId, address, { confirmed_ms: every?.confirmed_ms ?? null })
        const removed = builder.deleteFrom('channel_address').where('channel_id', '=', channelId)
        await write.run(addresses.length ? removed.where('address', 'not in', addresses) : removed)
      }),
  }
}
