'use server'
import { getTranslations } from 'next-intl/server'
import { unsubscribe } from '../../../operations/personal.ts'
import { type FormState, failed, noState, textOf } from '../../client/form.ts'
import { app } from '../../handle.ts'

/** Ends the kind of mail that the link names. */
export async function unsubscribeAction(_before: FormState, data: FormData): Promise<FormState> {
  if (await unsubscribe(app(), textOf(data, 'token'))) return { ...noState, done: true }
  return failed(data, { message: (await getTranslations('personal'))('unsubscribeGone'), fields: {} })
}
