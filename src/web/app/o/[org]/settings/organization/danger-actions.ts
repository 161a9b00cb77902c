'use server'
import { revalidatePath } from 'next/cache'
import { redirect } from 'next/navigation'
import { getTranslations } from 'next-intl/server'
import { deleteOrganization } from '../../../../../../operations/removals.ts'
import { attempt, type FormState, failed, textOf } from '../../../../../client/form.ts'
import { app } from '../../../../../handle.ts'
import { demandOrganization } from '../../../../../server/session.ts'

/** Enough to delete a small organization, ms. */
const removalWaitMs = 3000

/** Deletes the organization if its name was typed, then redirects to `/`. */
export async function deleteOrganizationAction(_before: FormState, data: FormData): Promise<FormState> {
  const org = textOf(data, 'organization')
  const { actor, organization } = await demandOrganization(org, `/o/${org}/settings/organization`)
  if (textOf(data, 'typed').trim() !== organization.name)
    return failed(data, { message: '', fields: { typed: [(await getTranslations('people'))('typeWrong')] } })
  const { auth, meta } = app()
  const state = await attempt(data, async () => {
    await auth.demand(actor, 'organization:delete', { organization })
    await deleteOrganization(app(), actor, organization.id, removalWaitMs)
    return undefined
  })
  if (!state.done) return state
  revalidatePath('/', 'layout')
  // A longer removal is still running, and the organization's page shows its progress.
  redirect(
    (await meta.organizations.organizationById(organization.id))
      ? `/o/${organization.slug}/settings/organization`
      : '/',
  )
}
