'use server'
import { redirect } from 'next/navigation'
import { getTranslations } from 'next-intl/server'
import { setUp } from '../../../operations/first-run.ts'
import { checkName, slugOf } from '../../../store/meta/database/names.ts'
import { type FormState, failed, failureOf, textOf } from '../../client/form.ts'
import { app } from '../../handle.ts'
import { storedPlatform } from '../../platforms.ts'
import { isSetupSecret } from '../../server/setup-secret.ts'
import { signInHere } from '../../server/sign-in.ts'

/** All field errors of the names, so that nothing is created before. Names in `slugged` must also yield a slug. */
function nameErrors(values: Record<string, string>, slugged: readonly string[]): Record<string, string[]> {
  const errors: Record<string, string[]> = {}
  for (const [field, value] of Object.entries(values)) {
    try {
      checkName(value, field)
      if (slugged.includes(field)) slugOf(value, 'org', field)
    } catch (error) {
      Object.assign(errors, failureOf(error)?.fields)
    }
  }
  return errors
}

/** First run: creates owner, organization and first project, signs in, and opens the project's setup page. */
export async function setupAction(_before: FormState, data: FormData): Promise<FormState> {
  const t = await getTranslations('setup')
  const { meta, auth } = app()
  if (!(await meta.people.isEmpty())) return failed(data, { message: t('closed'), fields: {} })
  if (!isSetupSecret(textOf(data, 'secret'), await auth.setupSecret()))
    return failed(data, { message: t('wrongLink'), fields: {} })
  const name = textOf(data, 'name')
  const email = textOf(data, 'email').trim()
  const password = textOf(data, 'password')
  const organizationName = textOf(data, 'organization')
  const projectName = textOf(data, 'project')
  const platform = storedPlatform(textOf(data, 'platform'))
  const errors = nameErrors({ name, organization: organizationName, project: projectName }, ['organization', 'project'])
  if (Object.keys(errors).length > 0) return failed(data, { message: '', fields: errors })
  let target = '/'
  try {
    const input = { name, email, password, organization: organizationName, project: projectName, platform }
    const { organization, project } = await setUp(app(), input)
    target = `/o/${organization.slug}/projects/${project.slug}/setup`
    await signInHere(email, password)
  } catch (error) {
    const failure = failureOf(error)
    if (!failure) throw error
    // A conflict without fields is not about the e-mail address: somebody else submitted this form first.
    const raced = failure.code === 'CONFLICT' && Object.keys(failure.fields).length === 0
    return failed(data, raced ? { ...failure, message: t('raced') } : failure)
  }
  redirect(target)
}
