import type { Metadata } from 'next'
import { headers } from 'next/headers'
import { getTranslations } from 'next-intl/server'
import { seenOrigin } from '../../address.ts'
import { app } from '../../handle.ts'
import { isSetupSecret } from '../../server/setup-secret.ts'
import { AddressWarning } from '../../ui/address-warning.tsx'
import { buttonClass } from '../../ui/forms/controls.tsx'
import { Link } from '../../ui/link.tsx'
import { Logo } from '../../ui/logo.tsx'
import { SetupForm } from './setup-form.tsx'

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslations('setup'))('title') }
}

/** The first-run page. It needs the one-time link from the terminal, and closes once an account exists. */
export default async function SetupPage({ searchParams }: { searchParams: Promise<{ secret?: string | string[] }> }) {
  const { secret } = await searchParams
  const { meta, auth, config } = app()
  const t = await getTranslations('setup')
  const secretText = typeof secret === 'string' ? secret : ''
  const closed = !(await meta.people.isEmpty())
  const open = !closed && isSetupSecret(secretText, await auth.setupSecret())
  return (
    <main className="narrow-page">
      <p className="mb-6 flex items-center gap-2 text-strong font-semibold">
        <Logo /> Mishap
      </p>
      <h1 className="mb-2 text-first">{t('title')}</h1>
      <p className="mb-6 text-ink-2">{closed ? t('closed') : open ? t('intro') : t('wrongLink')}</p>
      {open ? <AddressWarning url={config.url} seen={seenOrigin(await headers())} /> : null}
      {open ? <SetupForm secret={secretText} /> : null}
      {closed ? (
        <Link href="/login" className={buttonClass({ look: 'main' })}>
          {t('signIn')}
        </Link>
      ) : null}
    </main>
  )
}
