'use server'
import { revalidatePath } from 'next/cache'
import { getTranslations } from 'next-intl/server'
import type { Actor } from '../../../../../../../../auth/auth.ts'
import { createKey, updateKey } from '../../../../../../../../operations/keys.ts'
import { type FormState, failed, failureOf, noState, revisionOf, textOf } from '../../../../../../../client/form.ts'
import { app } from '../../../../../../../handle.ts'
import { demandProject } from '../../../../../../../server/session.ts'
import { isRateCount, isRateWindow } from './rate-limit.ts'

type Change = { projectId: number; keyId: number; actor: Actor; rev: number | undefined }

const page = '/o/[org]/settings/projects/[project]/keys'

/** Runs `change` if the person may change keys here, and refreshes the page. */
async function changeKeys(data: FormData, change: (at: Change) => Promise<unknown>): Promise<FormState> {
  const org = textOf(data, 'organization')
  const id = textOf(data, 'project')
  const { actor, organization, project } = await demandProject(org, id, `/o/${org}/settings/projects/${id}/keys`)
  const { auth, meta } = app()
  try {
    await auth.demand(actor, 'key:write', { organization, project })
    const keyId = Number(textOf(data, 'key')) || 0
    if (keyId && !(await meta.projects.keysOf(project.id)).some((key) => key.id === keyId))
      return failed(data, { message: (await getTranslations('keys'))('gone'), fields: {} })
    await change({ projectId: project.id, keyId, actor, rev: revisionOf(data) })
  } catch (error) {
    const failure = failureOf(error)
    if (!failure) throw error
    if (!failure.current) return failed(data, failure)
    // The page now shows the current rows with their revision, so submitting again applies the change anyway.
    revalidatePath(page, 'page')
    const t = await getTranslations('keys')
    return failed(data, { fields: {}, message: t('stale', { who: failure.current.by ?? t('somebody') }) })
  }
  revalidatePath(page, 'page')
  return { ...noState, done: true }
}

/** Creates a key. */
export async function createKeyAction(_before: FormState, data: FormData): Promise<FormState> {
  return changeKeys(data, ({ projectId }) => createKey(app(), projectId, { label: textOf(data, 'label') }))
}

/** Enables or disables a key: field `active` is yes or no. */
export async function switchKeyAction(_before: FormState, data: FormData): Promise<FormState> {
  const change = { active: textOf(data, 'active') === 'yes' }
  return changeKeys(data, ({ keyId, actor, rev }) => updateKey(app(), actor, keyId, change, rev))
}

/** Sets the rate limit of a key. An empty count removes it. */
export async function limitKeyAction(_before: FormState, data: FormData): Promise<FormState> {
  const count = textOf(data, 'count').trim()
  const windowS = textOf(data, 'window')
  if (count !== '' && !isRateCount(count))
    return failed(data, { message: '', fields: { count: [(await getTranslations('keys'))('countWrong')] } })
  if (!isRateWindow(windowS))
    return failed(data, { message: '', fields: { count: [(await getTranslations('keys'))('windowWrong')] } })
  const change = { rateLimit: count === '' ? null : { count: Number(count), windowS: Number(windowS) } }
  return changeKeys(data, ({ keyId, actor, rev }) => updateKey(app(), actor, keyId, change, rev))
}
