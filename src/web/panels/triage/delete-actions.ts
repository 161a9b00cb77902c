'use server'
import { notFound, redirect } from 'next/navigation'
import { getTranslations } from 'next-intl/server'
import { deleteIssues } from '../../../operations/removals.ts'
import { attempt, type FormState, failed, textOf } from '../../client/form.ts'
import { app } from '../../handle.ts'
import { findIssue } from '../../server/issues.ts'
import { demandOrganization } from '../../server/session.ts'

/** Enough to delete a small issue, so that the list no longer shows it, ms. */
const removalWaitMs = 3000

/** Deletes the issue if its short id was typed, with `discard` also its future events. Then opens the stream. */
export async function deleteIssueAction(_before: FormState, data: FormData): Promise<FormState> {
  const slug = textOf(data, 'organization')
  const { actor, organization } = await demandOrganization(slug, `/o/${slug}/issues`)
  const here = (await findIssue(actor, organization, textOf(data, 'issue'))) ?? notFound()
  const { issue } = here
  if (textOf(data, 'typed').trim().toUpperCase() !== issue.shortId)
    return failed(data, { message: '', fields: { typed: [(await getTranslations('people'))('typeWrong')] } })
  const state = await attempt(data, async () => {
    await app().auth.demand(actor, 'issue:delete', here)
    const kind = textOf(data, 'discard') === 'on' ? 'discard' : 'issue'
    await deleteIssues(app(), actor, [issue], kind, removalWaitMs)
    return undefined
  })
  if (!state.done) return state
  redirect(`/o/${organization.slug}/issues`)
}
