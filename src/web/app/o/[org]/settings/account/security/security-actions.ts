'use server'
import { revalidatePath } from 'next/cache'
import { headers } from 'next/headers'
import { redirect } from 'next/navigation'
import { getTranslations } from 'next-intl/server'
import { attempt, type FormState, failed, failureOf, textOf } from '../../../../../../client/form.ts'
import { app } from '../../../../../../handle.ts'
import { keepCookies } from '../../../../../../server/sign-in.ts'

const pathOf = (data: FormData) => `/o/${textOf(data, 'organization')}/settings/account/security`

/** Changes the password of the signed-in person. This session continues with a new cookie. */
export async function changePasswordAction(_before: FormState, data: FormData): Promise<FormState> {
  const t = await getTranslations('security')
  return attempt(data, async () => {
    try {
      const { cookies } = await app().auth.changePassword(await headers(), {
        currentPassword: textOf(data, 'currentPassword'),
        newPassword: textOf(data, 'newPassword'),
        endTokens: textOf(data, 'endTokens') === 'yes',
      })
      await keepCookies(cookies)
    } catch (error) {
      const failure = failureOf(error)
      if (failure?.fields.currentPassword)
        return failed(data, { message: '', fields: { currentPassword: [t('wrongPassword')] } })
      if (failure?.code !== 'AUTH_LOCKED') throw error
      return failed(data, { message: t('locked', { seconds: failure.retryAfterS ?? 60 }), fields: {} })
    }
    // A page rendered within this request would still use the old cookie and redirect to sign-in.
    redirect(`${pathOf(data)}?password=changed`)
  })
}

/** Ends the session of the form. A session that is already gone counts as ended. */
export async function endSessionAction(_before: FormState, data: FormData): Promise<FormState> {
  const state = await attempt(data, async () => {
    try {
      await app().auth.endSession(await headers(), textOf(data, 'session'))
    } catch (error) {
      if (failureOf(error)?.code !== 'NOT_FOUND') throw error
    }
    return undefined
  })
  if (state.done) revalidatePath(pathOf(data))
  return state
}

/** Ends all sessions but the current session. */
export async function endOtherSessionsAction(_before: FormState, data: FormData): Promise<FormState> {
  const state = await attempt(data, async () => {
    await app().auth.endOtherSessions(await headers())
    return undefined
  })
  if (state.done) revalidatePath(pathOf(data))
  return state
}
