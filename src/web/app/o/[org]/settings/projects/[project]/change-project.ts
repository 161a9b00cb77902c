import { revalidatePath } from 'next/cache'
import type { Action } from '../../../../../../../auth/auth.ts'
import { attempt, type FormState, failureOf, textOf } from '../../../../../../form.ts'
import { app } from '../../../../../../handle.ts'
import { demandProject } from '../../../../../../session.ts'

/** `stale`: somebody else changed what the form shows since it was loaded. */
export type ProjectState = FormState & { stale: { by: string | null } | null }

type Here = Awaited<ReturnType<typeof demandProject>>

/**
 * Runs `work` on the project that a form of its settings names, for who may do `action` there, and shows the organization
 * anew. `page`: the form's, after the project's own path; who is not signed in comes back to it.
 */
export async function changeProject(
  data: FormData,
  page: string,
  action: Action,
  work: (here: Here) => FormState | undefined | Promise<FormState | undefined>,
): Promise<ProjectState> {
  const [org, id] = [textOf(data, 'organization'), textOf(data, 'project')]
  const here = await demandProject(org, id, `/o/${org}/settings/projects/${id}${page}`)
  const conflict: Pick<ProjectState, 'stale'> = { stale: null }
  const state = await attempt(data, async () => {
    app().auth.demand(here.actor, action, { organization: here.organization, project: here.project })
    try {
      return await work(here)
    } catch (error) {
      conflict.stale = failureOf(error)?.current ?? null
      throw error
    }
  })
  if (state.done) revalidatePath('/o/[org]', 'layout')
  // The form says who was quicker, in place of a sentence.
  return { ...state, ...conflict, error: conflict.stale ? null : state.error }
}
