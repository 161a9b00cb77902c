import type { Metadata } from 'next'
import { getTranslations } from 'next-intl/server'
import { acknowledgementOf } from '../../../alert/acknowledge.ts'
import { app } from '../../handle.ts'
import { Logo } from '../../ui/logo.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { AcknowledgeForm } from './acknowledge-form.tsx'

export async function generateMetadata(): Promise<Metadata> {
  // The URL is a permission: keep it out of referrers and indexes.
  return {
    title: (await getTranslations('incidents.acknowledgePage'))('title'),
    referrer: 'no-referrer',
    robots: { index: false, follow: false },
  }
}

/** Asks whoever followed the link of a message to acknowledge its incident. Works without an account. */
export default async function AcknowledgePage({
  searchParams,
}: {
  searchParams: Promise<{ token?: string | string[] }>
}) {
  const { token } = await searchParams
  const text = typeof token === 'string' ? token : ''
  const found = await acknowledgementOf(app(), text)
  const t = await getTranslations('incidents.acknowledgePage')
  return (
    <main className="narrow-page">
      <p className="mb-6 flex items-center gap-2 text-strong font-semibold">
        <Logo /> Mishap
      </p>
      <h1 className="mb-3">{t('title')}</h1>
      {'incident' in found ? (
        <p className="mb-3">
          <PlainText text={t('intro', { organization: found.organization.name, title: found.incident.title })} />
        </p>
      ) : null}
      {found.state === 'open' || found.state === 'acknowledged' ? (
        <AcknowledgeForm token={text} isDone={found.state === 'acknowledged'} />
      ) : (
        <p>{t(found.state)}</p>
      )}
    </main>
  )
}
