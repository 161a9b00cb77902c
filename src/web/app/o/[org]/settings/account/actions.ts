'use server'
import { revalidatePath } from 'next/cache'
import { getTranslations } from 'next-intl/server'
import type { Action, Actor } from '../../../../../../auth/auth.ts'
import { scopes } from '../../../../../../auth/may.ts'
import {
  createOrganizationToken,
  createToken,
  deleteOrganizationToken,
  deleteToken,
} from '../../../../../../operations/tokens.ts'
import { checkName } from '../../../../../../store/meta/database/names.ts'
import type { Organization } from '../../../../../../store/meta/meta.ts'
import { attempt, type FormState, failed, textOf } from '../../../../../client/form.ts'
import { app } from '../../../../../handle.ts'
import { demandOrganization } from '../../../../../server/session.ts'

/** `secret`: the new token. It is shown only once. */
export type TokenState = FormState & { secret: string | null }

/** Returns the secret of a new token ('' if none), or a form state with the reason of a failure. */
type Work = (actor: Actor, organization: Organization) => Promise<FormState | string> | FormState | string

/** Runs `work` if the person may do `action` on tokens here (null: always allowed), and refreshes the page. */
async function change(data: FormData, action: Action | null, work: Work): Promise<TokenState> {
  const slug = textOf(data, 'organization')
  const { actor, organization } = await demandOrganization(slug, `/o/${slug}/settings/account/tokens`)
  let secret: string | null = null
  const state = await attempt(data, async () => {
    // A person may do this with their own tokens, but a token may not: a leaked token could delete the others.
    const needed = action ?? (actor.kind === 'token' ? 'token:own' : null)
    if (needed) await app().auth.demand(actor, needed, { organization })
    const done = await work(actor, organization)
    if (typeof done !== 'string') return done
    secret = done || null
    return undefined
  })
  if (state.done) revalidatePath(`/o/${slug}/settings`, 'layout')
  return { ...state, secret }
}

/** Creates an API token of the signed-in person for this organization. */
export async function createTokenAction(_before: TokenState, data: FormData): Promise<TokenState> {
  return change(data, 'token:own', async (actor, organization) => {
    const chosen = scopes.filter((scope) => data.getAll('scopes').includes(scope))
    if (chosen.length === 0)
      return failed(data, { message: '', fields: { scopes: [(await getTranslations('account'))('scopesMissing')] } })
    const value = { name: checkName(textOf(data, 'name')), scopes: chosen, organizationId: organization.id }
    return (await createToken(app(), actor, value)).secret
  })
}

/** Deletes a token of the signed-in person, even without permission to create any. Ignores tokens of others. */
export async function deleteTokenAction(_before: FormState, data: FormData): Promise<FormState> {
  return change(data, null, async (actor) => {
    await deleteToken(app(), actor, textOf(data, 'token'))
    return ''
  })
}

/** Creates an organization token for builds. */
export async function createOrganizationTokenAction(_before: TokenState, data: FormData): Promise<TokenState> {
  return change(
    data,
    'token:organization',
    async (actor, organization) =>
      (await createOrganizationToken(app(), actor, organization, checkName(textOf(data, 'name')))).secret,
  )
}

/** Deletes an organization token. A missing token counts as deleted. */
export async function deleteOrganizationTokenAction(_before: FormState, data: FormData): Promise<FormState> {
  return change(data, 'token:organization', async (_actor, organization) => {
    await deleteOrganizationToken(app(), organization.id, textOf(data, 'token'))
    return ''
  })
}
