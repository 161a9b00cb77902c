'use server'
import { revalidatePath } from 'next/cache'
import { redirect } from 'next/navigation'
import { getTranslations } from 'next-intl/server'
import { type FormState, failed, failureOf, noState, textOf } from '../../../../../../form.ts'
import { app } from '../../../../../../handle.ts'
import { demandProject } from '../../../../../../session.ts'

/** A small project is gone by then. */
const patienceMs = 3000

function here(data: FormData) {
  const org = textOf(data, 'organization')
  const slug = textOf(data, 'project')
  return demandProject(org, slug, `/o/${org}/settings/projects/${slug}`)
}

/** Deletes the project whose name was typed and goes to the list of projects. */
export async function deleteProjectAction(_before: FormState, data: FormData): Promise<FormState> {
  const { actor, organization, project } = await here(data)
  if (textOf(data, 'typed').trim() !== project.name)
    return failed(data, { message: '', fields: { typed: [(await getTranslations('people'))('typeWrong')] } })
  const { auth, removals, publishKeys } = app()
  try {
    auth.demand(actor, 'project:delete', { organization, project })
    const value = { kind: 'project' as const, projectId: project.id, issueId: null, userId: actor.person.id }
    const { id } = removals.ask(value)
    await publishKeys()
    await removals.wait(id, patienceMs)
  } catch (error) {
    const failure = failureOf(error)
    if (!failure) throw error
    return failed(data, failure)
  }
  revalidatePath('/o/[org]', 'layout')
  redirect(`/o/${organization.slug}/projects`)
}

/** Takes the filter of an issue that was deleted for good away. */
export async function undiscardAction(_before: FormState, data: FormData): Promise<FormState> {
  const { actor, organization, project } = await here(data)
  const { auth, meta } = app()
  if (auth.may(actor, 'issue:delete', { organization, project }) === 'yes')
    meta.undiscard(project.id, textOf(data, 'title'))
  revalidatePath('/o/[org]/settings/projects/[project]', 'page')
  return { ...noState, done: true }
}
