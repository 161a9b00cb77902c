'use server'
import { revalidatePath } from 'next/cache'
import { feedbackStates } from '../../../../../store/meta/feedback.ts'
import { type FormState, noState, textOf } from '../../../../form.ts'
import { app } from '../../../../handle.ts'
import { demandOrganization } from '../../../../session.ts'

/** The feedback that the form names with the organization and project it is in; undefined for another organization's. */
async function here(data: FormData) {
  const slug = textOf(data, 'organization')
  const { actor, organization } = await demandOrganization(slug, `/o/${slug}/feedback`)
  const { meta } = app()
  const one = meta.feedbackById(Number(textOf(data, 'feedback')) || 0)
  const project = one && meta.projectById(one.projectId)
  return one && project?.organizationId === organization.id
    ? { actor, one, place: { organization, project } }
    : undefined
}

/** Calls a feedback new, resolved or spam. */
export async function sortFeedbackAction(_before: FormState, data: FormData): Promise<FormState> {
  const found = await here(data)
  const { meta, auth, clock } = app()
  const state = feedbackStates.find((one) => one === textOf(data, 'state'))
  if (found && state && auth.may(found.actor, 'issue:triage', found.place) === 'yes')
    meta.setFeedbackState(found.one.id, state, found.actor.person.id, clock.now())
  revalidatePath('/o/[org]/feedback', 'page')
  return { ...noState, done: true }
}

/** Deletes a feedback with its screenshots. */
export async function deleteFeedbackAction(_before: FormState, data: FormData): Promise<FormState> {
  const found = await here(data)
  const { meta, auth, blobs } = app()
  if (found && auth.may(found.actor, 'issue:delete', found.place) === 'yes')
    for (const key of meta.deleteFeedback(found.one.id)) await blobs.delete(key)
  revalidatePath('/o/[org]/feedback', 'page')
  return { ...noState, done: true }
}
