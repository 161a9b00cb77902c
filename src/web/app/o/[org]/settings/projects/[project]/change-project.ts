import { revalidatePath } from 'next/cache'
import type { Action } from '../../../../../../../auth/auth.ts'
import { attemptGuarded, type FormState, type GuardedState, textOf } from '../../../../../../client/form.ts'
import { app } from '../../../../../../handle.ts'
import { demandProject } from '../../../../../../server/session.ts'

type Here = Awaited<ReturnType<typeof demandProject>>

/**
 * Runs `work` on the project of a settings form if the person may do `action` there, and refreshes the organization's
 * pages. `page` is the form's path below the project's settings, to which sign-in returns.
 */
export async function changeProject(
  data: FormData,
  page: string,
  action: Action,
  work: (here: Here) => FormState | undefined | Promise<FormState | undefined>,
): Promise<GuardedState> {
  const [org, id] = [textOf(data, 'organization'), textOf(data, 'project')]
  const here = await demandProject(org, id, `/o/${org}/settings/projects/${id}${page}`)
  const state = await attemptGuarded(data, async () => {
    await app().auth.demand(here.actor, action, { organization: here.organization, project: here.project })
    return work(here)
  })
  if (state.done) revalidatePath('/o/[org]', 'layout')
  return state
}
