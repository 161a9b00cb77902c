'use server'
import { revalidatePath } from 'next/cache'
import { redirect } from 'next/navigation'
import type { Action } from '../../../../../../auth/auth.ts'
import { roles } from '../../../../../../auth/roles.ts'
import { inviteMember, removeMember, takeBackInvitation, updateMember } from '../../../../../../operations/members.ts'
import type { Organization, Person } from '../../../../../../store/meta/meta.ts'
import { attempt, type FormState, textOf } from '../../../../../client/form.ts'
import { app } from '../../../../../handle.ts'
import { demandOrganization } from '../../../../../server/session.ts'

/** `link`: the new invitation, shown once. `mailError`: why it was not mailed; '' without a mail server. */
export type InviteState = FormState & { link: string | null; mailError: string | null }

type Done = { link?: string; mailError?: string | null }

async function change(
  data: FormData,
  action: Action,
  work: (organization: Organization, person: Person) => Done | Promise<Done>,
): Promise<InviteState> {
  const slug = textOf(data, 'organization')
  const path = `/o/${slug}/settings/members`
  const { actor, organization } = await demandOrganization(slug, path)
  let done: Done = {}
  const state = await attempt(data, async () => {
    await app().auth.demand(actor, action, { organization })
    done = await work(organization, actor.person)
    return undefined
  })
  if (state.done) revalidatePath(path)
  return { ...state, link: done.link ?? null, mailError: done.mailError ?? null }
}

const roleOf = (data: FormData) => roles.find((role) => role === textOf(data, 'role')) ?? 'viewer'

/** Creates an invitation, and mails its link if a mail server is set. */
export async function inviteAction(_before: InviteState, data: FormData): Promise<InviteState> {
  return change(data, 'member:write', async (organization, by) => {
    const invitation = { email: textOf(data, 'email'), role: roleOf(data) }
    const { link, failure } = await inviteMember(app(), by, organization, invitation)
    return { link, mailError: failure ?? null }
  })
}

/** Withdraws an invitation. */
export async function takeBackAction(_before: InviteState, data: FormData): Promise<InviteState> {
  return change(data, 'member:write', async (organization, by) => {
    await takeBackInvitation(app(), by, organization, Number(textOf(data, 'invitation')) || 0)
    return {}
  })
}

/** Changes the role of a member. */
export async function changeRoleAction(_before: InviteState, data: FormData): Promise<InviteState> {
  return change(data, 'member:write', async (organization, by) => {
    await updateMember(app(), by, organization, textOf(data, 'member'), roleOf(data))
    return {}
  })
}

/** Removes a member. */
export async function removeMemberAction(_before: InviteState, data: FormData): Promise<InviteState> {
  return change(data, 'member:write', async (organization, by) => {
    await removeMember(app(), by, organization, textOf(data, 'member'))
    return {}
  })
}

/** Ends the signed-in person's own membership. */
export async function leaveAction(_before: InviteState, data: FormData): Promise<InviteState> {
  const result = await change(data, 'member:leave', async (organization, by) => {
    await removeMember(app(), by, organization, by.id)
    return {}
  })
  if (result.done) redirect('/')
  return result
}
