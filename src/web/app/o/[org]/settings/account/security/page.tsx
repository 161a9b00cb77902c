import type { Metadata } from 'next'
import { headers } from 'next/headers'
import { getTranslations } from 'next-intl/server'
import { app } from '../../../../../../handle.ts'
import { demandOrganization } from '../../../../../../server/session.ts'
import { PasswordForm } from './password-form.tsx'
import { Sessions } from './sessions.tsx'

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslations('frame'))('settings.security') }
}

/** The person's password and login sessions. An API token has no session and may not change the password. */
export default async function SecurityPage({
  params,
  searchParams,
}: {
  params: Promise<{ org: string }>
  searchParams: Promise<{ password?: string | string[] }>
}) {
  const { org } = await params
  const { password } = await searchParams
  const { actor, organization } = await demandOrganization(org, `/o/${org}/settings/account/security`)
  const t = await getTranslations('frame')
  const { auth, meta } = app()
  const sessions = actor.kind === 'session' ? await auth.sessionsOf(await headers()) : undefined
  return (
    <div className="settings-page">
      <header className="page-head">
        <h1>{t('settings.security')}</h1>
      </header>
      {sessions ? (
        <>
          <PasswordForm
            organization={organization.slug}
            email={actor.person.email}
            hasTokens={(await meta.people.tokensOf(actor.person.id)).length > 0}
            isChanged={password === 'changed'}
          />
          <Sessions organization={organization.slug} sessions={sessions} />
        </>
      ) : null}
    </div>
  )
}
