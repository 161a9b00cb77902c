import type { Metadata } from 'next'
import { getTranslations } from 'next-intl/server'
import { smtpOf } from '../../../alert/smtp.ts'
import { app } from '../../handle.ts'
import { Link } from '../../ui/link.tsx'
import { Logo } from '../../ui/logo.tsx'
import { ForgotForm } from './forgot-form.tsx'

/** The command for a checkout, and for a package. */
const commands = [
  'echo "$PASSWORD" | npm run -s mishap -- user reset-password --email you@example.org --password-stdin',
  'echo "$PASSWORD" | mishap user reset-password --email you@example.org --password-stdin',
]

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslations('security'))('forgotTitle') }
}

/** Sends a link to reset the password, or shows the command if no mail server is set. */
export default async function ForgotPasswordPage() {
  const t = await getTranslations('security')
  return (
    <main className="narrow-page">
      <p className="mb-6 flex items-center gap-2 text-strong font-semibold">
        <Logo /> Mishap
      </p>
      <h1 className="mb-3">{t('forgotTitle')}</h1>
      {(await smtpOf(app())) ? (
        <ForgotForm />
      ) : (
        <>
          <p className="mb-3">{t('noServer')}</p>
          <p className="mb-2 text-ink-2">{t('noServerTodo')}</p>
          {commands.map((command) => (
            <pre key={command} className="box mb-2 whitespace-pre-wrap break-words p-3">
              <code>{command}</code>
            </pre>
          ))}
        </>
      )}
      <p className="mt-6">
        <Link href="/login" className="link">
          {t('toSignIn')}
        </Link>
      </p>
    </main>
  )
}
