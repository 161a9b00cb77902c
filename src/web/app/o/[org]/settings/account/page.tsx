import type { Metadata } from 'next'
import { headers } from 'next/headers'
import { getTranslations } from 'next-intl/server'
import { scopes } from '../../../../../../auth/may.ts'
import type { ApiToken } from '../../../../../../store/meta/meta.ts'
import { app } from '../../../../../handle.ts'
import { OwnRemovals } from '../../../../../panels/settings/removal-list.tsx'
import { demandOrganization } from '../../../../../server/session.ts'
import { Button } from '../../../../../ui/controls.tsx'
import { PlainText } from '../../../../../ui/plain-text.tsx'
import { signOutAction } from '../../../../login/actions.ts'
import { Appearance } from './appearance.tsx'
import { OrganizationTokens } from './organization-tokens.tsx'
import { PasswordForm } from './password-form.tsx'
import { Sessions } from './sessions.tsx'
import type { ShownToken } from './token-list.tsx'
import { Tokens } from './tokens.tsx'

/** Maximum deleted organizations to show; the API has more. */
const removalsMax = 20

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslations('account'))('title') }
}

/** The person's settings: theme, language, password, sessions, tokens, sign-out, deleted organizations. */
export default async function AccountPage({
  params,
  searchParams,
}: {
  params: Promise<{ org: string }>
  searchParams: Promise<{ password?: string | string[] }>
}) {
  const { org } = await params
  const { password } = await searchParams
  const { actor, organization } = await demandOrganization(org, `/o/${org}/settings/account`)
  const t = await getTranslations('account')
  const { auth, meta } = app()
  const tokens = meta.tokensOf(actor.person.id)
  // An API token has no session and may not change the password.
  const sessions = actor.kind === 'session' ? await auth.sessionsOf(await headers()) : undefined
  const shown = ({ id, name, prefix, scopes: carried, createdMs, lastUsedMs }: ApiToken): ShownToken => ({
    id,
    name,
    prefix,
    scopes: carried,
    createdMs,
    lastUsedMs,
  })
  return (
    <div className="page max-w-[860px]">
      <header className="page-head">
        <h1>{t('title')}</h1>
      </header>
      <section className="mb-8 flex flex-wrap items-center gap-4">
        <div className="min-w-0">
          <div className="font-[550]">
            <PlainText text={actor.person.name} />
          </div>
          <div className="text-ink-2">{actor.person.email}</div>
        </div>
        <form action={signOutAction} className="ml-auto">
          <Button type="submit">{t('signOut')}</Button>
        </form>
      </section>
      <Appearance />
      {sessions ? (
        <>
          <PasswordForm
            organization={organization.slug}
            email={actor.person.email}
            hasTokens={tokens.length > 0}
            isChanged={password === 'changed'}
          />
          <Sessions organization={organization.slug} sessions={sessions} />
        </>
      ) : null}
      <Tokens
        organization={organization.slug}
        tokens={tokens.map(shown)}
        scopes={scopes}
        mayCreate={auth.may(actor, 'token:own', { organization }) === 'yes'}
      />
      {auth.may(actor, 'token:organization', { organization }) === 'yes' ? (
        <OrganizationTokens
          organization={organization.slug}
          tokens={meta.tokensOfOrganization(organization.id).map(shown)}
        />
      ) : null}
      <OwnRemovals removals={meta.organizationRemovalsBy(actor.person.id, removalsMax)} />
    </div>
  )
}
