'use server'
import { revalidatePath } from 'next/cache'
import { getTimeZone } from 'next-intl/server'
import { MishapError } from '../../../../../../base/errors.ts'
import { typedMs } from '../../../../../../domain/alerts/on-call.ts'
import { createMute, endMute } from '../../../../../../operations/incidents.ts'
import type { Organization } from '../../../../../../store/meta/meta.ts'
import { attempt, type FormState, textOf } from '../../../../../client/form.ts'
import { app } from '../../../../../handle.ts'
import { demandOrganization } from '../../../../../server/session.ts'

async function change(
  data: FormData,
  work: (organization: Organization, userId: string) => Promise<void>,
): Promise<FormState> {
  const path = `/o/${textOf(data, 'organization')}/alerts/mutes`
  const { actor, organization } = await demandOrganization(textOf(data, 'organization'), path)
  const state = await attempt(data, async () => {
    await app().auth.demand(actor, 'alert:write', { organization })
    await work(organization, actor.person.id)
    return undefined
  })
  if (state.done) revalidatePath(path)
  return state
}

const kinds = ['organization', 'project', 'rule'] as const

/** Mutes what the field `what` names: `organization`, `project:ID` or `rule:ID`. Times are in the reader's zone. */
export async function createMuteAction(_before: FormState, data: FormData): Promise<FormState> {
  return change(data, async ({ id }, userId) => {
    const zone = await getTimeZone()
    const at = (name: string): number | undefined => {
      const text = textOf(data, name)
      const typed = typedMs(text, zone)
      // An end that is no time must not become a mute without an end.
      if (typed === undefined && text !== '')
        throw new MishapError('VALIDATION', { fields: { [name]: ['A date and a time.'] } })
      return typed
    }
    const [what = '', target = ''] = textOf(data, 'what').split(':')
    const kind = kinds.find((known) => known === what) ?? 'organization'
    const start = at('start')
    await createMute(
      app(),
      id,
      {
        kind,
        target: kind === 'organization' ? null : target,
        name: textOf(data, 'name'),
        start,
        end: at('end') ?? null,
      },
      userId,
    )
  })
}

/** Ends a mute. */
export async function endMuteAction(_before: FormState, data: FormData): Promise<FormState> {
  return change(data, async (organization) => {
    const mute = await app().meta.incidents.muteById(Number(textOf(data, 'mute')) || 0)
    if (mute?.organizationId === organization.id) await endMute(app(), mute.id)
  })
}
