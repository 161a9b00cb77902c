import { cookies } from 'next/headers'
import { getTranslations } from 'next-intl/server'
import type { ReactNode } from 'react'
import { failingChannels } from '../../../../../alert/channel.ts'
import { readableProjects } from '../../../../../auth/allowed-projects.ts'
import { rememberedProjects, selectionCookie } from '../../../../client/project-selection.ts'
import { app } from '../../../../handle.ts'
import { SettingsMenu } from '../../../../panels/settings/menu.tsx'
import { actorHere, organizationFor } from '../../../../server/session.ts'

/** All settings: a menu of the pages of the account, the organization and one project. The page itself is `children`. */
export default async function SettingsLayout({
  params,
  children,
}: {
  params: Promise<{ org: string }>
  children: ReactNode
}) {
  const actor = await actorHere()
  const here = actor && (await organizationFor(actor, decodeURIComponent((await params).org)))
  // The page redirects to sign-in, or to the new name of the organization.
  if (!here) return children
  const { organization } = here
  const { meta, auth } = app()
  const t = await getTranslations('frame')
  const may = async (action: Parameters<typeof auth.may>[1]) =>
    (await auth.may(actor, action, { organization })) === 'yes'
  const projects = await Array.fromAsync(
    await readableProjects(app(), actor, organization),
    async ({ id, slug, name }) => ({
      slug,
      name,
      keys: (await meta.projects.keysOf(id)).length,
      missesMaps: (await meta.artifacts.missingMapCounts(id)).quantity > 0,
    }),
  )
  const cookie = (await cookies()).get(selectionCookie(organization.slug))?.value
  return (
    <>
      <p className="settings-title">{t('settings.title')}</p>
      <div className="settings">
        <SettingsMenu
          organization={{ slug: organization.slug, name: organization.name }}
          person={actor.person.name}
          projects={projects}
          selected={rememberedProjects(cookie, actor.person.id, projects)[0]}
          rights={{ tokens: await may('token:organization'), status: await may('status:read') }}
          counts={{
            members: (await meta.organizations.membersOf(organization.id)).length,
            notifications: (await meta.alerts.channelsOf(organization.id)).length,
            failing: failingChannels(await meta.alerts.channelsOf(organization.id)).length,
            tokens: (await meta.people.tokensOf(actor.person.id)).length,
          }}
        />
        <div className="settings-body">{children}</div>
      </div>
    </>
  )
}
