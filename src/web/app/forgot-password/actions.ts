'use server'
import { headers } from 'next/headers'
import { after } from 'next/server'
import { getTranslations } from 'next-intl/server'
import { smtpOf } from '../../../alert/smtp.ts'
import { mailPasswordLink } from '../../../operations/password-link.ts'
import { type FormState, failed, failureOf, noState, textOf } from '../../client/form.ts'
import { app } from '../../handle.ts'

/** Mails a reset link. Response and timing do not reveal whether the e-mail address has an account. */
export async function forgotPasswordAction(_before: FormState, data: FormData): Promise<FormState> {
  const t = await getTranslations('security')
  const email = textOf(data, 'email').trim()
  if (!email) return failed(data, { message: '', fields: { email: [t('emailMissing')] } })
  if (!(await smtpOf(app()))) return failed(data, { message: t('noServer'), fields: {} })
  try {
    app().auth.countResetRequest(email, await headers())
  } catch (error) {
    const failure = failureOf(error)
    if (failure?.code !== 'AUTH_LOCKED') throw error
    const minutes = Math.ceil((failure.retryAfterS ?? 60) / 60)
    return failed(data, { message: t('tooManyLinks', { minutes }), fields: {} })
  }
  after(() => mailPasswordLink(app(), email))
  return { ...noState, done: true }
}
