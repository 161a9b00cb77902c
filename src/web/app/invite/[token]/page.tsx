import type { Metadata } from 'next'
import { getTranslations } from 'next-intl/server'
import { openInvitation } from '../../../../operations/members.ts'
import { app } from '../../../handle.ts'
import { actorHere } from '../../../server/session.ts'
import { buttonClass } from '../../../ui/forms/controls.tsx'
import { Link } from '../../../ui/link.tsx'
import { Logo } from '../../../ui/logo.tsx'
import { JoinForm } from './join-form.tsx'

export async function generateMetadata(): Promise<Metadata> {
  // The URL contains a secret: keep it out of referrers and indexes.
  return {
    title: (await getTranslations('people'))('joinTitle'),
    referrer: 'no-referrer',
    robots: { index: false, follow: false },
  }
}

/** The page of an invitation: join with the current login, sign in, or create an account. */
export default async function InvitePage({ params }: { params: Promise<{ token: string }> }) {
  const secret = decodeURIComponent((await params).token)
  const parts = app()
  const t = await getTranslations('people')
  const invitation = await openInvitation(parts, secret)
  const organization = invitation && (await parts.meta.organizations.organizationById(invitation.organizationId))
  const actor = await actorHere()
  const hasAccount = invitation !== undefined && (await parts.auth.personByEmail(invitation.email)) !== undefined
  const login = `/login?next=${encodeURIComponent(`/invite/${secret}`)}`
  return (
    <main className="narrow-page">
      <p className="mb-6 flex items-center gap-2 text-strong font-semibold">
        <Logo /> Mishap
      </p>
      <h1 className="mb-2">{t('joinTitle')}</h1>
      {invitation && organization ? (
        <>
          <p className="mb-4 text-ink-2">
            {t('joinIntro', { organization: organization.name, role: t(`role_${invitation.role}`) })}{' '}
            {actor ? t('joinAs', { email: actor.person.email }) : null}
          </p>
          {!actor && hasAccount ? (
            <>
              <p className="mb-4">{t('joinHasAccount', { email: invitation.email })}</p>
              <Link href={login} className={buttonClass({ look: 'main' })}>
                {t('joinSignIn')}
              </Link>
            </>
          ) : (
            <JoinForm secret={secret} isSignedIn={actor !== undefined} />
          )}
          {!actor && !hasAccount ? (
            <p className="mt-6">
              <Link href={login} className="link">
                {t('joinOther')}
              </Link>
            </p>
          ) : null}
        </>
      ) : (
        <p className="text-ink-2">{t('joinGone')}</p>
      )}
    </main>
  )
}
