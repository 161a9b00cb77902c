'use server'
import { redirect } from 'next/navigation'
import { getTranslations } from 'next-intl/server'
import { type FormState, failed, failureOf, textOf } from '../../client/form.ts'
import { app } from '../../handle.ts'

/** Sets a new password with the link's secret, then opens the sign-in page. */
export async function resetPasswordAction(_before: FormState, data: FormData): Promise<FormState> {
  const t = await getTranslations('security')
  try {
    const endTokens = textOf(data, 'endTokens') === 'yes'
    await app().auth.resetBySecret(textOf(data, 'secret'), textOf(data, 'password'), endTokens)
  } catch (error) {
    const failure = failureOf(error)
    if (!failure) throw error
    return failed(data, failure.code === 'NOT_FOUND' ? { message: t('linkGone'), fields: {} } : failure)
  }
  redirect('/login?password=new')
}
