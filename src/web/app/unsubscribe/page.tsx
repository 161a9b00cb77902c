import type { Metadata } from 'next'
import { getTranslations } from 'next-intl/server'
import { getsMail } from '../../../alert/personal.ts'
import { unsubscriptionTarget } from '../../../operations/personal.ts'
import { app } from '../../handle.ts'
import { Logo } from '../../ui/logo.tsx'
import { UnsubscribeForm } from './unsubscribe-form.tsx'

export async function generateMetadata(): Promise<Metadata> {
  // The URL contains a token: keep it out of referrers and indexes.
  return {
    title: (await getTranslations('personal'))('unsubscribeTitle'),
    referrer: 'no-referrer',
    robots: { index: false, follow: false },
  }
}

/** Asks whether to end a kind of mail. Works without sign-in. */
export default async function UnsubscribePage({
  searchParams,
}: {
  searchParams: Promise<{ token?: string | string[] }>
}) {
  const { token } = await searchParams
  const tokenText = typeof token === 'string' ? token : ''
  const target = await unsubscriptionTarget(app(), tokenText)
  const t = await getTranslations('personal')
  if (!target)
    return (
      <Frame title={t('unsubscribeTitle')}>
        <p>{t('unsubscribeGone')}</p>
      </Frame>
    )
  const { organization, unsubscription } = target
  const { organizationId, userId, kind } = unsubscription
  const { settings } = await app().meta.personal.personalSettingsOf(organizationId, userId)
  return (
    <Frame title={t('unsubscribeTitle')}>
      <UnsubscribeForm
        token={tokenText}
        kind={kind}
        organization={{ slug: organization.slug, name: organization.name }}
        isDone={!getsMail(settings, kind)}
      />
    </Frame>
  )
}

function Frame({ title, children }: { title: string; children: React.ReactNode }) {
  return (
    <main className="narrow-page">
      <p className="mb-6 flex items-center gap-2 text-strong font-semibold">
        <Logo /> Mishap
      </p>
      <h1 className="mb-3">{title}</h1>
      {children}
    </main>
  )
}
