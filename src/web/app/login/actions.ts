'use server'
import { headers } from 'next/headers'
import { redirect } from 'next/navigation'
import { getTranslations } from 'next-intl/server'
import { type FormState, failed, failureOf, textOf } from '../../client/form.ts'
import { app } from '../../handle.ts'
import { keepCookies, signInHere } from '../../server/sign-in.ts'
import { localPath } from '../../text.ts'

/** Signs in and redirects to `next`. A wrong password is a field error. */
export async function signInAction(_before: FormState, data: FormData): Promise<FormState> {
  const t = await getTranslations('login')
  const email = textOf(data, 'email').trim()
  const password = textOf(data, 'password')
  if (!email) return failed(data, { message: '', fields: { email: [t('emailMissing')] } })
  if (!password) return failed(data, { message: '', fields: { password: [t('passwordMissing')] } })
  try {
    await signInHere(email, password)
  } catch (error) {
    const failure = failureOf(error)
    if (failure?.code === 'AUTH_FAILED') return failed(data, { message: '', fields: { password: [t('wrong')] } })
    if (failure?.code === 'AUTH_LOCKED')
      return failed(data, { message: t('locked', { seconds: failure.retryAfterS ?? 60 }), fields: {} })
    throw error
  }
  redirect(localPath(textOf(data, 'next')))
}

/** Ends the login session. */
export async function signOutAction(): Promise<void> {
  const { cookies } = await app().auth.signOut(await headers())
  await keepCookies(cookies)
  redirect('/login')
}
