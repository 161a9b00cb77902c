import type { Metadata } from 'next'
import { getTranslations } from 'next-intl/server'
import { app } from '../../handle.ts'
import { buttonClass } from '../../ui/forms/controls.tsx'
import { Link } from '../../ui/link.tsx'
import { Logo } from '../../ui/logo.tsx'
import { ResetForm } from './reset-form.tsx'

export async function generateMetadata(): Promise<Metadata> {
  // The URL contains a secret: keep it out of referrers and indexes.
  return {
    title: (await getTranslations('security'))('resetTitle'),
    referrer: 'no-referrer',
    robots: { index: false, follow: false },
  }
}

/** The page of a reset link. Opening it does not use the link up, so mail scanners do no harm. */
export default async function ResetPasswordPage({
  searchParams,
}: {
  searchParams: Promise<{ secret?: string | string[] }>
}) {
  const { secret } = await searchParams
  const secretText = typeof secret === 'string' ? secret : ''
  const person = await app().auth.resetOf(secretText)
  const t = await getTranslations('security')
  return (
    <main className="narrow-page">
      <p className="mb-6 flex items-center gap-2 text-strong font-semibold">
        <Logo /> Mishap
      </p>
      <h1 className="mb-3">{t('resetTitle')}</h1>
      {person ? (
        <>
          <p className="mb-4 text-ink-2">{t('resetIntro')}</p>
          <ResetForm secret={secretText} email={person.email} />
        </>
      ) : (
        <>
          <p className="mb-4">{t('linkGone')}</p>
          <Link href="/forgot-password" className={buttonClass({ look: 'main' })}>
            {t('askAgain')}
          </Link>
        </>
      )}
    </main>
  )
}
