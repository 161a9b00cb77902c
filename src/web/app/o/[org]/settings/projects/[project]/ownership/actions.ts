'use server'
import { revalidatePath } from 'next/cache'
import { ownershipCharactersMax, readOwnership } from '../../../../../../../../protocol/ownership.ts'
import { type FormState, failed, failureOf, noState, textOf } from '../../../../../../../form.ts'
import { app } from '../../../../../../../handle.ts'
import { demandProject } from '../../../../../../../session.ts'

/** A file of rules is longer than a field. */
function rulesOf(data: FormData): string {
  const value = data.get('text')
  return typeof value === 'string' ? value.slice(0, ownershipCharactersMax).replaceAll('\r', '') : ''
}

/** Writes the rules; refused with each faulty line, and when somebody else has written them since. */
export async function saveOwnershipAction(_before: FormState, data: FormData): Promise<FormState> {
  const [org, id] = [textOf(data, 'organization'), textOf(data, 'project')]
  const here = await demandProject(org, id, `/o/${org}/settings/projects/${id}/ownership`)
  const { actor, organization, project } = here
  const { auth, meta, clock } = app()
  const text = rulesOf(data)
  try {
    auth.demand(actor, 'project:write', { organization, project })
    const { rules, faults } = readOwnership(text)
    const isMember = (email: string) => {
      const person = meta.personByEmail(email)
      return person !== undefined && meta.memberOf(organization.id, person.id) !== undefined
    }
    const strangers = rules.flatMap(({ line, owners }) =>
      owners.filter((one) => !isMember(one)).map((one) => `${line}: ${one} is nobody in this organization.`),
    )
    const wrong = [...faults.map(({ line, sentence }) => `${line}: ${sentence}`), ...strangers]
    if (wrong.length > 0) return failed(data, { message: '', fields: { text: wrong.slice(0, 20) } })
    const value = { text, autoAssign: textOf(data, 'auto') === 'on' }
    meta.setOwnership(
      project.id,
      value,
      { userId: actor.person.id, rev: Number(textOf(data, 'revision')) },
      clock.now(),
    )
  } catch (error) {
    const failure = failureOf(error)
    if (!failure) throw error
    return failed(data, failure)
  }
  revalidatePath('/o/[org]', 'layout')
  return { ...noState, done: true }
}
