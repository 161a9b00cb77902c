'use server'
import { ownershipCharactersMax, readOwnership } from '../../../../../../../../protocol/ownership.ts'
import { failed, failureOf, longTextOf, textOf } from '../../../../../../../form.ts'
import { app } from '../../../../../../../handle.ts'
import { revisionOf } from '../change.ts'
import { changeProject } from '../change-project.ts'
import type { OwnershipState } from './ownership-form.tsx'

/** Writes the rules; refused with each faulty line, and when somebody else has written them since. */
export async function saveOwnershipAction(_before: OwnershipState, data: FormData): Promise<OwnershipState> {
  const conflict: Pick<OwnershipState, 'stale'> = { stale: null }
  const state = await changeProject(data, '/ownership', 'project:write', ({ actor, organization, project }) => {
    const { meta, clock } = app()
    const text = longTextOf(data, 'text', ownershipCharactersMax)
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
    try {
      meta.setOwnership(project.id, value, { userId: actor.person.id, rev: revisionOf(data) }, clock.now())
    } catch (error) {
      conflict.stale = failureOf(error)?.current ?? null
      throw error
    }
    return undefined
  })
  return { ...state, ...conflict, error: conflict.stale ? null : state.error }
}
