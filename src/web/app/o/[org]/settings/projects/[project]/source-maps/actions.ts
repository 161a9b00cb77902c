'use server'
import { revalidatePath } from 'next/cache'
import { redirect } from 'next/navigation'
import { getTranslations } from 'next-intl/server'
import { type FormState, failed, failureOf, textOf } from '../../../../../../../form.ts'
import { app } from '../../../../../../../handle.ts'
import { demandProject } from '../../../../../../../session.ts'

/** Takes the bundle whose id was typed out of the project, and goes back to the list. */
export async function deleteBundleAction(_before: FormState, data: FormData): Promise<FormState> {
  const org = textOf(data, 'organization')
  const id = textOf(data, 'project')
  const uuid = textOf(data, 'bundle')
  const { actor, organization, project } = await demandProject(
    org,
    id,
    `/o/${org}/settings/projects/${id}/source-maps?bundle=${encodeURIComponent(uuid)}`,
  )
  if (textOf(data, 'typed').trim() !== uuid.slice(0, 8))
    return failed(data, { message: '', fields: { typed: [(await getTranslations('people'))('typeWrong')] } })
  const { auth, artifacts } = app()
  try {
    auth.demand(actor, 'release:write', { organization, project })
    await artifacts.removeBundle(project.id, uuid)
  } catch (error) {
    const failure = failureOf(error)
    if (!failure) throw error
    return failed(data, failure)
  }
  revalidatePath('/o/[org]/settings/projects/[project]', 'layout')
  redirect(`/o/${organization.slug}/settings/projects/${project.slug}/source-maps`)
}
