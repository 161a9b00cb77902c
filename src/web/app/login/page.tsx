import type { Metadata } from 'next'
import { headers } from 'next/headers'
import { redirect } from 'next/navigation'
import { getTranslations } from 'next-intl/server'
import { seenOrigin } from '../../address.ts'
import { app } from '../../handle.ts'
import { actorHere } from '../../server/session.ts'
import { localPath } from '../../text.ts'
import { AddressWarning } from '../../ui/address-warning.tsx'
import { Link } from '../../ui/link.tsx'
import { Logo } from '../../ui/logo.tsx'
import { SignInForm } from './sign-in-form.tsx'

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslations('login'))('title') }
}

/** The sign-in page. `?next=` is the target after it. `?password=new` confirms a new password. */
export default async function LoginPage({
  searchParams,
}: {
  searchParams: Promise<{ next?: string | string[]; password?: string | string[] }>
}) {
  const { next: nextParam, password } = await searchParams
  const next = localPath(nextParam)
  if (await app().meta.people.isEmpty()) redirect('/setup')
  if (await actorHere()) redirect(next)
  const t = await getTranslations('login')
  return (
    <main className="narrow-page">
      <p className="mb-6 flex items-center gap-2 text-strong font-semibold">
        <Logo /> Mishap
      </p>
      <h1 className="mb-5">{t('title')}</h1>
      <AddressWarning url={app().config.url} seen={seenOrigin(await headers())} />
      {password === 'new' ? (
        <p role="status" className="mb-4">
          {(await getTranslations('security'))('passwordNew')}
        </p>
      ) : null}
      <SignInForm next={next} />
      <p className="mt-6">
        <Link href="/forgot-password" className="link">
          {(await getTranslations('security'))('forgotLink')}
        </Link>
      </p>
    </main>
  )
}
