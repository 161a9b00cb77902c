'use server'
import { redirect } from 'next/navigation'
import { getTranslations } from 'next-intl/server'
import { joinByInvitation, openInvitation } from '../../../../operations/members.ts'
import { type FormState, failed, failureOf, textOf } from '../../../client/form.ts'
import { app } from '../../../handle.ts'
import { actorHere } from '../../../server/session.ts'
import { signInHere } from '../../../server/sign-in.ts'

/** Joins the organization with the current login, or with a new account for the invited e-mail address. */
export async function joinAction(_before: FormState, data: FormData): Promise<FormState> {
  const secret = textOf(data, 'secret')
  const parts = app()
  const invitation = await openInvitation(parts, secret)
  const expired = async () => failed(data, { message: (await getTranslations('people'))('joinGone'), fields: {} })
  if (!invitation) return expired()
  try {
    const actor = await actorHere()
    const password = textOf(data, 'password')
    await joinByInvitation(parts, secret, actor?.person ?? { name: textOf(data, 'name').trim(), password })
    if (!actor) await signInHere(invitation.email, password)
  } catch (error) {
    const failure = failureOf(error)
    if (!failure) throw error
    return failure.code === 'NOT_FOUND' ? expired() : failed(data, failure)
  }
  const organization = await parts.meta.organizations.organizationById(invitation.organizationId)
  redirect(organization ? `/o/${organization.slug}/issues` : '/')
}
