'use server'
import { getTranslations } from 'next-intl/server'
import { acknowledgeByLink } from '../../../operations/incidents.ts'
import { type FormState, failed, noState, textOf } from '../../client/form.ts'
import { app } from '../../handle.ts'

/** Acknowledges the incident of a signed link. A link that is not valid changes nothing and says so. */
export async function acknowledgeAction(_before: FormState, data: FormData): Promise<FormState> {
  const state = await acknowledgeByLink(app(), textOf(data, 'token'))
  if (state === 'acknowledged') return { ...noState, done: true }
  return failed(data, { message: (await getTranslations('incidents.acknowledgePage'))(state), fields: {} })
}
