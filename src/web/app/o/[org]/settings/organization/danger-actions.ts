'use server'
import { revalidatePath } from 'next/cache'
import { redirect } from 'next/navigation'
import { getTranslations } from 'next-intl/server'
import { deleteOrganization } from '../../../../../../operations/removals.ts'
import { attempt, type FormState, failed, textOf } from '../../../../../client/form.ts'
import { app } from '../../../../../handle.ts'
import { demandOrganization } from '../../../../../server/session.ts'

/** A small organization is gone by then. */
const patienceMs = 3000

/** Deletes the organization whose name was typed and goes to the front door, which knows what is left. */
export async function deleteOrganizationAction(_before: FormState, data: FormData): Promise<FormState> {
  const org = textOf(data, 'organization')
  const { actor, organization } = await demandOrganization(org, `/o/${org}/settings/organization`)
  if (textOf(data, 'typed').trim() !== organization.name)
    return failed(data, { message: '', fields: { typed: [(await getTranslations('people'))('typeWrong')] } })
  const { auth, meta } = app()
  const state = await attempt(data, async () => {
    auth.demand(actor, 'organization:delete', { organization })
    await deleteOrganization(app(), actor, organization.id, patienceMs)
    return undefined
  })
  if (!state.done) return state
  revalidatePath('/', 'layout')
  // One that takes longer is still there, and its page says how far it is.
  redirect(meta.organizationById(organization.id) ? `/o/${organization.slug}/settings/organization` : '/')
}
