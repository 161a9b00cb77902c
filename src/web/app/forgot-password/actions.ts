'use server'
import { headers } from 'next/headers'
import { after } from 'next/server'
import { getTranslations } from 'next-intl/server'
import { resetMail } from '../../../alert/reset-mail.ts'
import { smtpOf } from '../../../alert/smtp.ts'
import { resetMinutes } from '../../../auth/password-change.ts'
import { type FormState, failed, failureOf, noState, textOf } from '../../client/form.ts'
import { app } from '../../handle.ts'

/** Makes the link and mails it; a mail that does not leave is said in the log, as the page says the same either way. */
async function sendLink(email: string): Promise<void> {
  const { auth, alerts, config, observe } = app()
  const made = auth.startReset(email)
  if (!made) return
  const link = `${config.url}/reset-password?secret=${made.secret}`
  const failure = await alerts.mail(resetMail({ to: made.person, link, minutes: resetMinutes }))
  if (failure !== undefined) observe.warn({ error: failure }, 'a link for a forgotten password was not mailed')
}

/** Asks for a reset link. The answer is the same, and as quick, whether the address has an account or not. */
export async function forgotPasswordAction(_before: FormState, data: FormData): Promise<FormState> {
  const t = await getTranslations('security')
  const email = textOf(data, 'email').trim()
  if (!email) return failed(data, { message: '', fields: { email: [t('emailMissing')] } })
  if (!smtpOf(app())) return failed(data, { message: t('noServer'), fields: {} })
  try {
    app().auth.countResetRequest(email, await headers())
  } catch (error) {
    const failure = failureOf(error)
    if (failure?.code !== 'AUTH_LOCKED') throw error
    const minutes = Math.ceil((failure.retryAfterS ?? 60) / 60)
    return failed(data, { message: t('tooManyLinks', { minutes }), fields: {} })
  }
  after(() => sendLink(email))
  return { ...noState, done: true }
}
