import type { Channel } from '../store/meta/issues/alerts.ts'
import type { MetaStore } from '../store/meta/meta-store.ts'
import { everyAddress } from '../store/meta/people/channel-addresses.ts'

/**
 * An address of a mail channel. `member`: of somebody in the organization; `confirmed`: its owner has said that they want
 * the mails; `unconfirmed`: it gets none.
 */
export type Recipient = {
  address: string
  state: 'member' | 'confirmed' | 'unconfirmed'
  /** When it was last asked to confirm; null: never, or that is not needed. */
  askedMs: number | null
  /** Why the mail that asks did not leave. */
  error: string
}

type Room = { meta: Pick<MetaStore, 'membersOf' | 'people' | 'addressesOf'>; open(sealed: string): string }

function peopleOf(meta: Room['meta'], channel: Channel, may: (role: string) => boolean) {
  const members = meta.membersOf(channel.organizationId).filter((member) => may(member.role))
  return meta.people(members.map((member) => member.userId)).map((person) => person.email)
}

/** The addresses that a mail channel names, else nothing. Throws when the channel can't be opened. */
export function addressesIn(room: Pick<Room, 'open'>, channel: Channel): string[] {
  const target = channel.kind === 'email' ? room.open(channel.sealedTarget) : ''
  return target === 'members' ? [] : target.split(',').filter(Boolean)
}

/**
 * Who a mail channel is for: its addresses, or every member who may triage (a viewer only looks). Throws when it can't be
 * opened: the data folder's secrets have changed.
 */
export function recipientsIn(room: Room, channel: Channel): Recipient[] {
  const { meta } = room
  if (channel.kind !== 'email') return []
  const member = (address: string): Recipient => ({ address, state: 'member', askedMs: null, error: '' })
  if (room.open(channel.sealedTarget) === 'members')
    return peopleOf(meta, channel, (role) => role !== 'viewer').map(member)
  const members = new Set(peopleOf(meta, channel, () => true))
  const known = new Map(meta.addressesOf(channel.id).map((address) => [address.address, address]))
  return addressesIn(room, channel).map((address) => {
    const name = address.toLowerCase()
    if (members.has(name)) return member(address)
    const found = known.get(name)
    const confirmed = known.has(everyAddress) || (found?.confirmedMs ?? null) !== null
    const { askedMs = null, error = '' } = found ?? {}
    return confirmed
      ? { address, state: 'confirmed', askedMs: null, error: '' }
      : { address, state: 'unconfirmed', askedMs, error }
  })
}
