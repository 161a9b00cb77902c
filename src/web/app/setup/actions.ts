'use server'
import { redirect } from 'next/navigation'
import { getTranslations } from 'next-intl/server'
import { ensureSelfProject } from '../../../auth/admin.ts'
import { checkName } from '../../../store/meta/names.ts'
import { type FormState, failed, failureOf, textOf } from '../../form.ts'
import { app } from '../../handle.ts'
import { platformById } from '../../platforms.ts'
import { createProjectHere, withFreeSlug } from '../../projects.ts'
import { isSetupSecret } from '../../setup-secret.ts'
import { signInHere } from '../../sign-in.ts'

/** Field errors of names, all at once: nothing is made while one is wrong. */
function nameErrors(values: Record<string, string>): Record<string, string[]> {
  const errors: Record<string, string[]> = {}
  for (const [field, value] of Object.entries(values)) {
    try {
      checkName(value, field)
    } catch (error) {
      Object.assign(errors, failureOf(error)?.fields)
    }
  }
  return errors
}

/** First run: the owner, the organization and the first project; signs in and shows how to send the first event. */
export async function setupAction(_before: FormState, data: FormData): Promise<FormState> {
  const t = await getTranslations('setup')
  const { meta, auth, config } = app()
  if (!meta.isEmpty()) return failed(data, { message: t('closed'), fields: {} })
  if (!isSetupSecret(textOf(data, 'secret'), auth.setupSecret()))
    return failed(data, { message: t('wrongLink'), fields: {} })
  const name = textOf(data, 'name')
  const email = textOf(data, 'email').trim()
  const password = textOf(data, 'password')
  const organizationName = textOf(data, 'organization')
  const projectName = textOf(data, 'project')
  const platform = platformById(textOf(data, 'platform'))?.id ?? 'other'
  const errors = nameErrors({ name, organization: organizationName, project: projectName })
  if (Object.keys(errors).length > 0) return failed(data, { message: '', fields: errors })
  let target = '/'
  try {
    const person = await auth.createPerson({ name: name.trim(), email, password })
    const organization = withFreeSlug(organizationName, 'organization', (slug) =>
      meta.createOrganization({ slug, name: organizationName, ownerUserId: person.id }),
    )
    // First the one that these screens report to, so that its slug is free; createProjectHere tells accept of both.
    if (config.selfReporting) ensureSelfProject(meta, organization.id)
    const project = await createProjectHere(organization.id, projectName, platform)
    target = `/o/${organization.slug}/projects/${project.slug}/setup`
    await signInHere(email, password)
  } catch (error) {
    const failure = failureOf(error)
    if (!failure) throw error
    return failed(data, failure)
  }
  redirect(target)
}
