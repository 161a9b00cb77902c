'use server'
import { revalidatePath } from 'next/cache'
import { changePersonalSettings } from '../../../../../../../operations/personal.ts'
import { attemptGuarded, type GuardedState, revisionOf, textOf } from '../../../../../../client/form.ts'
import { app } from '../../../../../../handle.ts'
import { demandOrganization } from '../../../../../../server/session.ts'
import { changeIn } from './form-personal.ts'

/** Saves what the person wants to hear. Fails if they saved it elsewhere since the form was loaded. */
export async function savePersonalAction(_before: GuardedState, data: FormData): Promise<GuardedState> {
  const slug = textOf(data, 'organization')
  const path = `/o/${slug}/settings/account/notifications`
  const { actor, organization } = await demandOrganization(slug, path)
  const state = await attemptGuarded(data, async () => {
    const revision = revisionOf(data)
    await changePersonalSettings(app(), organization.id, actor.person.id, { ...changeIn(data), revision })
    return undefined
  })
  if (state.done) revalidatePath(path)
  return state
}
