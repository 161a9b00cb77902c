'use server'
import { revalidatePath } from 'next/cache'
import { redirect } from 'next/navigation'
import { updateOrganization } from '../../../../../../operations/organizations.ts'
import { attemptGuarded, type GuardedState, revisionOf, textOf } from '../../../../../client/form.ts'
import { app } from '../../../../../handle.ts'
import { demandOrganization } from '../../../../../server/session.ts'

/** Empty means the installation's default. The store rejects text that is not a number. */
const daysOf = (text: string): number | null => (text.trim() === '' ? null : Number(text))

/** Saves name, slug and retention. Redirects after a change of the slug. */
export async function saveOrganizationAction(_before: GuardedState, data: FormData): Promise<GuardedState> {
  const organizationId = textOf(data, 'organization')
  const { actor, organization } = await demandOrganization(organizationId, `/o/${organizationId}/settings/organization`)
  let slug = organization.slug
  const state = await attemptGuarded(data, async () => {
    await app().auth.demand(actor, 'organization:write', { organization })
    const change = {
      name: textOf(data, 'name'),
      slug: textOf(data, 'slug').trim(),
      retentionErrorsDays: daysOf(textOf(data, 'retentionErrorsDays')),
    }
    slug = (await updateOrganization(app(), actor, organization.id, change, revisionOf(data))).slug
    return undefined
  })
  if (!state.done) return state
  revalidatePath('/o/[org]', 'layout')
  if (slug !== organization.slug) redirect(`/o/${slug}/settings/organization`)
  return state
}
