import { shownTargetOf } from '../../../alert/channel.ts'
import { readableProjects } from '../../../auth/allowed-projects.ts'
import { app } from '../../handle.ts'
import type { OrganizationHere } from '../../server/session.ts'
import { unlessAway } from '../../server/unless-away.ts'
import type { ProjectName } from '../search/list-params.ts'
import { environmentsOf } from '../search/load-environments.ts'
import type { KnownReceivers } from './receivers.ts'

/** Everything that a rule of the organization can name. */
export async function loadReceivers({ organization }: Pick<OrganizationHere, 'organization'>): Promise<KnownReceivers> {
  const parts = app()
  const channels = await parts.meta.alerts.channelsOf(organization.id)
  const counts = await parts.meta.alerts.deliveryCountsOf(channels.map(({ id }) => id))
  const members = await parts.meta.organizations.membersOf(organization.id)
  const people = await parts.meta.people.people(members.map(({ userId }) => userId))
  const schedules = await parts.meta.incidents.listSchedules(organization.id)
  const trackers = await parts.meta.trackers.integrationsOf(organization.id)
  return {
    channels: channels.map((channel) => ({
      id: String(channel.id),
      kind: channel.kind,
      name: channel.name,
      target: shownTargetOf(parts, channel),
      failingSince: channel.failingSinceMs === null ? null : new Date(channel.failingSinceMs).toISOString(),
      lastError: channel.lastError,
      isActive: channel.active,
      arrived: counts.get(channel.id)?.sent ?? 0,
      tried: (counts.get(channel.id)?.sent ?? 0) + (counts.get(channel.id)?.failed ?? 0),
      subscription: channel.subscription,
    })),
    people: people.map(({ id, name, email }) => ({ id, name, email })),
    schedules: schedules.map(({ id, name }) => ({ id: String(id), name })),
    trackers: trackers.map(({ id, name, kind }) => ({ id: String(id), name, kind })),
  }
}

/** What the form of a rule offers. */
export async function loadEditor({ actor, organization }: OrganizationHere): Promise<{
  projects: ProjectName[]
  environments: string[]
  known: KnownReceivers
  mayWrite: boolean
  mayTest: boolean
}> {
  const { auth } = app()
  const projects = await readableProjects(app(), actor, organization)
  const [environments, known] = await Promise.all([
    unlessAway(environmentsOf(projects)),
    loadReceivers({ organization }),
  ])
  return {
    projects: projects.map(({ id, slug, name }) => ({ id: String(id), slug, name })),
    environments: environments ?? [],
    known,
    mayWrite: (await auth.may(actor, 'alert:write', { organization })) === 'yes',
    mayTest: (await auth.may(actor, 'channel:write', { organization })) === 'yes',
  }
}
