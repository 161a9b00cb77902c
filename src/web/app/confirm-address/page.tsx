import type { Metadata } from 'next'
import { getTranslations } from 'next-intl/server'
import { confirmationOf } from '../../../alert/confirm.ts'
import { app } from '../../handle.ts'
import { Logo } from '../../ui/logo.tsx'
import { ConfirmForm } from './confirm-form.tsx'

export async function generateMetadata(): Promise<Metadata> {
  // The URL contains a secret: keep it out of referrers and indexes.
  return {
    title: (await getTranslations('notifications'))('confirmTitle'),
    referrer: 'no-referrer',
    robots: { index: false, follow: false },
  }
}

/** Asks the owner of an e-mail address to confirm a channel's mails. Works without an account. */
export default async function ConfirmAddressPage({
  searchParams,
}: {
  searchParams: Promise<{ secret?: string | string[] }>
}) {
  const { secret } = await searchParams
  const secretText = typeof secret === 'string' ? secret : ''
  const confirmation = await confirmationOf(app(), secretText)
  const t = await getTranslations('notifications')
  return (
    <main className="narrow-page">
      <p className="mb-6 flex items-center gap-2 text-strong font-semibold">
        <Logo /> Mishap
      </p>
      <h1 className="mb-3">{t('confirmTitle')}</h1>
      {confirmation ? (
        <ConfirmForm
          secret={secretText}
          address={confirmation.address}
          organization={confirmation.organization.name}
          isConfirmed={confirmation.isConfirmed}
        />
      ) : (
        <p>{t('confirmGone')}</p>
      )}
    </main>
  )
}
