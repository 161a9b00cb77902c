import type { Channel } from '../store/meta/issues/alerts.ts'
import type { MetaWith } from '../store/meta/meta-store.ts'
import { everyAddress } from '../store/meta/people/channel-addresses.ts'

/**
 * An address of a mail channel. `member`: belongs to a member of the organization. `confirmed`: its owner accepted the
 * mails. `unconfirmed`: gets no mails.
 */
export type Recipient = {
  address: string
  state: 'member' | 'confirmed' | 'unconfirmed'
  /** Time of the last confirmation mail; null: none was sent, or none is needed. */
  askedMs: number | null
  /** Reason why the confirmation mail was not sent. */
  error: string
}

type RecipientDeps = {
  meta: MetaWith<'organizations.membersOf' | 'people.people' | 'alerts.addressesOf'>
  open(sealed: string): string
}

async function membersWith(meta: RecipientDeps['meta'], channel: Channel, may: (role: string) => boolean) {
  const members = (await meta.organizations.membersOf(channel.organizationId)).filter((member) => may(member.role))
  return (await meta.people.people(members.map((member) => member.userId))).map((person) => person.email)
}

/** Returns the explicit addresses of a mail channel, else none. Throws if the channel cannot be decrypted. */
export function addressesIn(deps: Pick<RecipientDeps, 'open'>, channel: Channel): string[] {
  const target = channel.kind === 'email' ? deps.open(channel.sealedTarget) : ''
  return target === 'members' ? [] : target.split(',').filter(Boolean)
}

/**
 * Returns the recipients of a mail channel: its addresses, or every member who can triage (not viewers). Throws if it
 * cannot be decrypted because the secrets of the data folder have changed.
 */
export async function recipientsIn(deps: RecipientDeps, channel: Channel): Promise<Recipient[]> {
  const { meta } = deps
  if (channel.kind !== 'email') return []
  const member = (address: string): Recipient => ({ address, state: 'member', askedMs: null, error: '' })
  if (deps.open(channel.sealedTarget) === 'members')
    return (await membersWith(meta, channel, (role) => role !== 'viewer')).map(member)
  const members = new Set(await membersWith(meta, channel, () => true))
  const addressStates = new Map(
    (await meta.alerts.addressesOf(channel.id)).map((address) => [address.address, address]),
  )
  return addressesIn(deps, channel).map((address) => {
    const name = address.toLowerCase()
    if (members.has(name)) return member(address)
    const found = addressStates.get(name)
    const confirmed = addressStates.has(everyAddress) || (found?.confirmedMs ?? null) !== null
    const { askedMs = null, error = '' } = found ?? {}
    return confirmed
      ? { address, state: 'confirmed', askedMs: null, error: '' }
      : { address, state: 'unconfirmed', askedMs, error }
  })
}
