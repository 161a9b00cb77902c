import type { Metadata } from 'next'
import { getTranslations } from 'next-intl/server'
import { scopes } from '../../../../../../../auth/may.ts'
import { app } from '../../../../../../handle.ts'
import { demandOrganization } from '../../../../../../server/session.ts'
import { shownToken } from '../shown-token.ts'
import { Tokens } from './tokens.tsx'

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslations('account'))('tokens') }
}

/** The person's API tokens. */
export default async function TokensPage({ params }: { params: Promise<{ org: string }> }) {
  const { org } = await params
  const { actor, organization } = await demandOrganization(org, `/o/${org}/settings/account/tokens`)
  const { auth, meta } = app()
  return (
    <div className="settings-page">
      <Tokens
        organization={organization.slug}
        tokens={(await meta.people.tokensOf(actor.person.id)).map(shownToken)}
        scopes={scopes}
        mayCreate={(await auth.may(actor, 'token:own', { organization })) === 'yes'}
      />
    </div>
  )
}
