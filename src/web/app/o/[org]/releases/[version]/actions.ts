'use server'
import { revalidatePath } from 'next/cache'
import { redirect } from 'next/navigation'
import { getTranslations } from 'next-intl/server'
import { filterAsync } from '../../../../../../base/sequence.ts'
import { deleteRelease, updateRelease } from '../../../../../../operations/releases.ts'
import { findRelease } from '../../../../../../query/releases.ts'
import type { ReleaseChange } from '../../../../../../store/meta/releases/releases.ts'
import { type FormState, failed, noState, textOf } from '../../../../../client/form.ts'
import { releasePath } from '../../../../../client/release-path.ts'
import { app } from '../../../../../handle.ts'
import { demandRelease } from '../../../../../panels/releases/load-release.ts'
import { typedName } from '../../../../../panels/releases/params.ts'

/** The release of the form, and the projects in which the person may change it. */
async function demandReleaseWrite(data: FormData) {
  const found = await demandRelease(textOf(data, 'organization'), encodeURIComponent(textOf(data, 'version')))
  const { auth } = app()
  const { actor, organization, release } = found
  const projectIds = release.projects.map((project) => project.id)
  const mine = await filterAsync(
    found.projects,
    async (project) =>
      projectIds.includes(project.id) && (await auth.may(actor, 'release:write', { organization, project })) === 'yes',
  )
  return { ...found, mine: mine.map((project) => project.id) }
}

const refused = async (data: FormData) =>
  failed(data, { message: (await getTranslations('releases.page'))('mayNotChange'), fields: {} })

/** Changes the release in the projects in which the person may change it. */
async function change(data: FormData, changeAt: (nowMs: number) => ReleaseChange): Promise<FormState> {
  const { organization, release, mine } = await demandReleaseWrite(data)
  if (mine.length === 0) return refused(data)
  const value = { organizationId: organization.id, projectIds: mine, version: release.version }
  await updateRelease(app(), { ...value, change: changeAt(app().clock.now()) })
  revalidatePath('/o/[org]/releases', 'layout')
  return { ...noState, done: true }
}

/** Finalizes the release with the current time. */
export async function finalizeAction(_before: FormState, data: FormData): Promise<FormState> {
  return change(data, (releasedMs) => ({ releasedMs }))
}

/** Archives the release, or opens it again. */
export async function archiveAction(_before: FormState, data: FormData): Promise<FormState> {
  const archived = textOf(data, 'to') === 'archived'
  return change(data, () => ({ archived }))
}

/** Deletes a release's build data if its name was typed. Opens what its events keep of it, else the list. */
export async function deleteReleaseAction(_before: FormState, data: FormData): Promise<FormState> {
  const { organization, projects, release, mine } = await demandReleaseWrite(data)
  const { version } = release
  if (mine.length === 0) return refused(data)
  if (textOf(data, 'typed').trim() !== typedName(version))
    return failed(data, { message: '', fields: { typed: [(await getTranslations('people'))('typeWrong')] } })
  await deleteRelease(app(), { organizationId: organization.id, version }, mine)
  revalidatePath('/o/[org]/releases', 'layout')
  const remaining = await findRelease(app(), { organization, projects, version })
  redirect(remaining ? releasePath(organization.slug, version) : `/o/${organization.slug}/releases`)
}
