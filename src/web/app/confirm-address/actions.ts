'use server'
import { getTranslations } from 'next-intl/server'
import { confirmAddress } from '../../../operations/channels.ts'
import { type FormState, failed, noState, textOf } from '../../client/form.ts'
import { app } from '../../handle.ts'

/** Confirms the e-mail address that the link belongs to. */
export async function confirmAddressAction(_before: FormState, data: FormData): Promise<FormState> {
  if (await confirmAddress(app(), textOf(data, 'secret'))) return { ...noState, done: true }
  return failed(data, { message: (await getTranslations('notifications'))('confirmGone'), fields: {} })
}
