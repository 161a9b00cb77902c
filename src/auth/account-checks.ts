import { z } from 'zod'
import { MishapError } from '../base/errors.ts'
import type { MetaStore } from '../store/meta/meta-store.ts'
import { passwordFault } from './passwords.ts'

export const emailCharactersMax = 254

export const refusal = (field: string, sentence: string) =>
  new MishapError('VALIDATION', { detail: sentence, fields: { [field]: [sentence] } })

/** Returns the normalized address for storage. Throws VALIDATION. */
export function checkEmail(email: string): string {
  const text = email.trim().toLowerCase()
  if (text.length > emailCharactersMax || !z.email().safeParse(text).success)
    throw refusal('email', `Use one e-mail address of at most ${emailCharactersMax} characters.`)
  return text
}

/** Throws VALIDATION if the password breaks the rules. */
export async function checkPassword(password: string, names: readonly string[]): Promise<void> {
  const fault = await passwordFault(password, names)
  if (fault) throw refusal('password', fault)
}

/** Returns names that this person must not use as a password. */
export const relatedNames = async (meta: MetaStore, email: string): Promise<string[]> => {
  const person = await meta.people.personByEmail(email)
  const organizations = person ? await meta.organizations.organizationsOf(person.id) : []
  return [email, ...organizations.flatMap(({ name, slug }) => [name, slug])]
}
