'use server'
import { ownershipCharactersMax, readOwnership } from '../../../../../../../../domain/ownership.ts'
import { failed, type GuardedState, longTextOf, revisionOf, textOf } from '../../../../../../../client/form.ts'
import { app } from '../../../../../../../handle.ts'
import { changeProject } from '../change-project.ts'

/** Writes the rules; refused with each faulty line, and when somebody else has written them since. */
export async function saveOwnershipAction(_before: GuardedState, data: FormData): Promise<GuardedState> {
  return changeProject(data, '/ownership', 'project:write', ({ actor, organization, project }) => {
    const { meta, clock } = app()
    const text = longTextOf(data, 'text', ownershipCharactersMax)
    const { rules, faults } = readOwnership(text)
    const isMember = (email: string) => {
      const person = meta.personByEmail(email)
      return person !== undefined && meta.memberOf(organization.id, person.id) !== undefined
    }
    const strangers = rules.flatMap(({ line, owners }) =>
      owners.filter((owner) => !isMember(owner)).map((owner) => `${line}: ${owner} is nobody in this organization.`),
    )
    const wrong = [...faults.map(({ line, sentence }) => `${line}: ${sentence}`), ...strangers]
    if (wrong.length > 0) return failed(data, { message: '', fields: { text: wrong.slice(0, 20) } })
    const value = { text, autoAssign: textOf(data, 'auto') === 'on' }
    meta.setOwnership(project.id, value, { userId: actor.person.id, rev: revisionOf(data) }, clock.now())
    return undefined
  })
}
