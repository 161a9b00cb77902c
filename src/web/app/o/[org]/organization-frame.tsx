import { cookies } from 'next/headers'
import type { ReactNode } from 'react'
import { failingChannels } from '../../../../alert/channel.ts'
import { readableProjects } from '../../../../auth/allowed-projects.ts'
import { viewsOf } from '../../../../query/saved.ts'
import { rememberedProjects, selectionCookie } from '../../../client/project-selection.ts'
import { app } from '../../../handle.ts'
import { Shell } from '../../../panels/shell/shell.tsx'
import type { OrganizationHere } from '../../../server/session.ts'
import { signOutAction } from '../../login/actions.ts'

/** The frame around the pages of an organization: sidebar, keys, live stream. */
export async function OrganizationFrame({
  here: { actor, organization },
  children,
}: {
  here: OrganizationHere
  children: ReactNode
}) {
  const { meta, auth, live } = app()
  const { id, slug, name } = organization
  const { person } = actor
  const projects = (await readableProjects(app(), actor, organization)).map((project) => ({
    id: String(project.id),
    slug: project.slug,
    name: project.name,
  }))
  const may = async (action: Parameters<typeof auth.may>[1]) =>
    (await auth.may(actor, action, { organization })) === 'yes'
  const cookie = (await cookies()).get(selectionCookie(slug))?.value
  return (
    <Shell
      frame={{
        organization: { slug, name },
        organizations: (await meta.organizations.organizationsOf(person.id)).map((other) => ({
          slug: other.slug,
          name: other.name,
        })),
        person: { id: person.id, name: person.name, email: person.email },
        projects,
        views: await viewsOf(meta, id, { userId: person.id, mayShare: await may('issue:triage') }),
        selected: rememberedProjects(cookie, person.id, projects),
        rights: {
          createProject: await may('project:create'),
          createAlert: await may('alert:write'),
          status: await may('status:read'),
          tokens: await may('token:organization'),
        },
        failingChannels: failingChannels(await meta.alerts.channelsOf(id)).length,
        refusedTrackers: (await meta.trackers.integrationsOf(id)).filter(({ refusedMs }) => refusedMs !== null).length,
        liveId: live.lastId(id),
      }}
      signOut={signOutAction}
    >
      {children}
    </Shell>
  )
}
