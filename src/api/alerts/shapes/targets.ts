import type { AlertAction } from '../../../contract/alerts/alerts.ts'
import type { Channel } from '../../../store/meta/issues/alerts.ts'
import type { MetaWith } from '../../../store/meta/meta-store.ts'
import type { Reading } from './part.ts'

/** What actions of other shapes can name in an organization. */
export type Targets = {
  channels: readonly Pick<Channel, 'id' | 'kind' | 'name'>[]
  /** E-mail addresses of the members by id. */
  people: ReadonlyMap<string, string>
}

export async function targetsOf(
  { meta }: { meta: MetaWith<'alerts.channelsOf' | 'organizations.membersOf' | 'people.people'> },
  organizationId: number,
): Promise<Targets> {
  const members = await meta.organizations.membersOf(organizationId)
  const people = await meta.people.people(members.map(({ userId }) => userId))
  return {
    channels: await meta.alerts.channelsOf(organizationId),
    people: new Map(people.map(({ id, email }) => [id, email])),
  }
}

const plain = (name: string) => name.replace(/^[#@]/, '').trim().toLowerCase()

/** The channel of a kind that has one of the names, or that id. Names may begin with # there. */
export function channelAction(
  { channels }: Targets,
  kinds: readonly string[],
  names: readonly string[],
): Reading<AlertAction> {
  const wanted = names.filter((name) => name !== '').map(plain)
  const found = channels.find(
    ({ id, kind, name }) =>
      kinds.includes(kind) && wanted.some((target) => target === plain(name) || target === String(id)),
  )
  if (found) return { value: { type: 'channel', channel: String(found.id) } }
  return {
    mistake: `There is no ${kinds[0]} channel ${JSON.stringify((names[0] ?? '').slice(0, 100))}. Create it first.`,
  }
}

/** The receivers of a mail: owners of the issue, a member, or everybody. */
export function mailAction({ people }: Targets, type: string, target: string): Reading<AlertAction> {
  const kind = type.toLowerCase().replace('_', '')
  if (kind === 'issueowners') return { value: { type: 'owners' } }
  if (kind === 'team') return { value: { type: 'members' } }
  const id = people.has(target) ? target : [...people].find(([, email]) => email === target)?.[0]
  if ((kind === 'member' || kind === 'user') && id !== undefined) return { value: { type: 'person', person: id } }
  if (kind === 'member' || kind === 'user') return { mistake: 'targetIdentifier is the id of a member.' }
  return { mistake: 'targetType is IssueOwners, Team or Member.' }
}
