import type { Metadata } from 'next'
import { getTranslations } from 'next-intl/server'
import { app } from '../../../../../handle.ts'
import { demandOrganization } from '../../../../../server/session.ts'
import { shownToken } from '../account/shown-token.ts'
import { OrganizationTokens } from './organization-tokens.tsx'

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslations('account'))('organizationTokens') }
}

/** The build tokens of the organization, for people who may create them. */
export default async function OrganizationTokensPage({ params }: { params: Promise<{ org: string }> }) {
  const { org } = await params
  const { actor, organization } = await demandOrganization(org, `/o/${org}/settings/tokens`)
  const t = await getTranslations('frame')
  const { auth, meta } = app()
  if ((await auth.may(actor, 'token:organization', { organization })) !== 'yes')
    return (
      <div className="settings-page">
        <h1>{t('settings.organizationTokens')}</h1>
        <p className="mt-2 text-ink-2">{t('settings.organizationTokensReadOnly')}</p>
      </div>
    )
  return (
    <div className="settings-page">
      <OrganizationTokens
        organization={organization.slug}
        tokens={(await meta.people.tokensOfOrganization(organization.id)).map(shownToken)}
      />
    </div>
  )
}
