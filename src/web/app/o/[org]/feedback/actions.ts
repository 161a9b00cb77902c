'use server'
import { revalidatePath } from 'next/cache'
import type { Action, Actor } from '../../../../../auth/auth.ts'
import { feedbackStates } from '../../../../../domain/feedback-states.ts'
import { deleteFeedback, setFeedbackState } from '../../../../../operations/feedback.ts'
import type { Feedback } from '../../../../../store/meta/issues/feedback.ts'
import type { Organization, Project } from '../../../../../store/meta/meta.ts'
import { attempt, type FormState, textOf } from '../../../../client/form.ts'
import { app } from '../../../../handle.ts'
import { demandOrganization } from '../../../../server/session.ts'

type Here = { actor: Actor; feedback: Feedback; organization: Organization; project: Project }

/**
 * Runs `work` on the form's feedback if the person may do `action` there, and refreshes the list. Feedback that no
 * longer exists counts as done.
 */
async function change(data: FormData, action: Action, work: (here: Here) => void | Promise<void>): Promise<FormState> {
  const slug = textOf(data, 'organization')
  const { actor, organization } = await demandOrganization(slug, `/o/${slug}/feedback`)
  const { meta, auth } = app()
  const feedback = await meta.feedback.feedbackById(Number(textOf(data, 'feedback')) || 0)
  const project = feedback && (await meta.projects.projectById(feedback.projectId))
  const state = await attempt(data, async () => {
    if (!feedback || project?.organizationId !== organization.id) return undefined
    await auth.demand(actor, action, { organization, project })
    await work({ actor, feedback, organization, project })
    return undefined
  })
  revalidatePath('/o/[org]/feedback', 'page')
  return state
}

/** Sets the state of a feedback: new, resolved or spam. */
export async function sortFeedbackAction(_before: FormState, data: FormData): Promise<FormState> {
  return change(data, 'issue:triage', async ({ actor, feedback }) => {
    const state = feedbackStates.find((candidate) => candidate === textOf(data, 'state'))
    if (state) await setFeedbackState(app(), actor, feedback.id, state)
  })
}

/** Deletes a feedback with its screenshots. */
export async function deleteFeedbackAction(_before: FormState, data: FormData): Promise<FormState> {
  return change(data, 'issue:delete', ({ feedback }) => deleteFeedback(app(), feedback.id))
}
