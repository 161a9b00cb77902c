'use server'
import { revalidatePath } from 'next/cache'
import { getTranslations } from 'next-intl/server'
import { scopes } from '../../../../../../auth/may.ts'
import { checkName } from '../../../../../../store/meta/names.ts'
import { type FormState, failed, failureOf, noState, textOf } from '../../../../../form.ts'
import { app } from '../../../../../handle.ts'
import { demandOrganization } from '../../../../../session.ts'

/** `secret`: the new token, shown this once. */
export type TokenState = FormState & { secret: string | null }

/** Makes a token of the signed-in person for this organization. */
export async function createTokenAction(_before: TokenState, data: FormData): Promise<TokenState> {
  const slug = textOf(data, 'organization')
  const path = `/o/${slug}/settings/account`
  const { actor, organization } = await demandOrganization(slug, path)
  const t = await getTranslations('account')
  const chosen = scopes.filter((scope) => data.getAll('scopes').includes(scope))
  if (chosen.length === 0)
    return { ...failed(data, { message: '', fields: { scopes: [t('scopesMissing')] } }), secret: null }
  try {
    const { auth } = app()
    auth.demand(actor, 'token:own', { organization })
    const { secret } = auth.createToken(actor.person, checkName(textOf(data, 'name')), chosen, organization.id)
    revalidatePath(path)
    return { ...noState, done: true, secret }
  } catch (error) {
    const failure = failureOf(error)
    if (!failure) throw error
    return { ...failed(data, failure), secret: null }
  }
}

/** Deletes a token of the signed-in person; one that is somebody else's counts as gone. */
export async function deleteTokenAction(_before: FormState, data: FormData): Promise<FormState> {
  const slug = textOf(data, 'organization')
  const path = `/o/${slug}/settings/account`
  const { actor } = await demandOrganization(slug, path)
  const id = Number(textOf(data, 'token'))
  const { meta } = app()
  if (meta.tokensOf(actor.person.id).some((one) => one.id === id)) meta.deleteToken(id)
  revalidatePath(path)
  return { ...noState, done: true }
}

/** Makes a token of the organization for builds. */
export async function createOrganizationTokenAction(_before: TokenState, data: FormData): Promise<TokenState> {
  const slug = textOf(data, 'organization')
  const path = `/o/${slug}/settings/account`
  const { actor, organization } = await demandOrganization(slug, path)
  try {
    const { auth } = app()
    auth.demand(actor, 'token:organization', { organization })
    const { secret } = auth.createOrganizationToken(actor.person, checkName(textOf(data, 'name')), organization)
    revalidatePath(path)
    return { ...noState, done: true, secret }
  } catch (error) {
    const failure = failureOf(error)
    if (!failure) throw error
    return { ...failed(data, failure), secret: null }
  }
}

/** Deletes a token of the organization; one that is not there counts as gone. */
export async function deleteOrganizationTokenAction(_before: FormState, data: FormData): Promise<FormState> {
  const slug = textOf(data, 'organization')
  const path = `/o/${slug}/settings/account`
  const { actor, organization } = await demandOrganization(slug, path)
  const { auth, meta } = app()
  try {
    auth.demand(actor, 'token:organization', { organization })
  } catch (error) {
    const failure = failureOf(error)
    if (!failure) throw error
    return failed(data, failure)
  }
  const id = Number(textOf(data, 'token'))
  if (meta.tokensOfOrganization(organization.id).some((one) => one.id === id)) meta.deleteToken(id)
  revalidatePath(path)
  return { ...noState, done: true }
}
