'use server'
import { revalidatePath } from 'next/cache'
import { headers } from 'next/headers'
import { addPushBrowser, removePushBrowser } from '../../../../../../../operations/push-browsers.ts'
import { failureOf } from '../../../../../../client/form.ts'
import { app } from '../../../../../../handle.ts'
import { demandActor } from '../../../../../../server/session.ts'

type Keys = { endpoint: string; p256dh: string; auth: string }

/** Registers the caller's browser for push messages. Returns the reason why not, else null. */
export async function addPushBrowserAction({ endpoint, p256dh, auth }: Keys): Promise<string | null> {
  const actor = await demandActor('/')
  const userAgent = (await headers()).get('user-agent') ?? ''
  try {
    await addPushBrowser(app(), actor, {
      endpoint: String(endpoint),
      p256dh: String(p256dh),
      auth: String(auth),
      userAgent,
    })
  } catch (error) {
    const failure = failureOf(error)
    if (!failure) throw error
    return Object.values(failure.fields).flat().join(' ') || failure.message
  }
  revalidatePath('/', 'layout')
  return null
}

/** Stops push messages to one of the caller's browsers. One that is gone already is no error. */
export async function removePushBrowserAction(id: number): Promise<void> {
  const actor = await demandActor('/')
  try {
    await removePushBrowser(app(), actor, Number(id) || 0)
  } catch (error) {
    if (failureOf(error)?.code !== 'NOT_FOUND') throw error
  }
  revalidatePath('/', 'layout')
}
