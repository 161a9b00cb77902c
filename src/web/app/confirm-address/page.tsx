import type { Metadata } from 'next'
import { getTranslations } from 'next-intl/server'
import { confirmationOf } from '../../../alert/confirm.ts'
import { app } from '../../handle.ts'
import { Logo } from '../../ui/logo.tsx'
import { ConfirmForm } from './confirm-form.tsx'

export async function generateMetadata(): Promise<Metadata> {
  // The address is the secret: it goes to nobody as a referrer, and into no index.
  return {
    title: (await getTranslations('notifications'))('confirmTitle'),
    referrer: 'no-referrer',
    robots: { index: false, follow: false },
  }
}

/** The link that asks the owner of an address whether they want a channel's mails; it takes no account. */
export default async function ConfirmAddressPage({
  searchParams,
}: {
  searchParams: Promise<{ secret?: string | string[] }>
}) {
  const { secret } = await searchParams
  const given = typeof secret === 'string' ? secret : ''
  const asked = confirmationOf(app(), given)
  const t = await getTranslations('notifications')
  return (
    <main className="narrow-page">
      <p className="mb-6 flex items-center gap-2 text-strong font-semibold">
        <Logo /> Mishap
      </p>
      <h1 className="mb-3">{t('confirmTitle')}</h1>
      {asked ? (
        <ConfirmForm
          secret={given}
          address={asked.address}
          organization={asked.organization.name}
          isConfirmed={asked.isConfirmed}
        />
      ) : (
        <p>{t('confirmGone')}</p>
      )}
    </main>
  )
}
