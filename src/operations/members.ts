import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import type { Alerts } from '../alert/alert.ts'
import { invitationMail } from '../alert/invitation.ts'
import type { Auth } from '../auth/auth.ts'
import { mayChange, rolesToGive, rolesToInvite } from '../auth/roles.ts'
import type { Clock } from '../base/clock.ts'
import { MishapError } from '../base/errors.ts'
import type { Member, Organization, Person, Role } from '../store/meta/meta.ts'
import type { MetaWith } from '../store/meta/meta-store.ts'
import type { Invitation } from '../store/meta/people/members.ts'

/** Maximum open invitations of one organization. */
const invitationsMax = 500
const emailCharactersMax = 254

type Deps = {
  meta: MetaWith<
    | 'organizations.memberOf'
    | 'people.personByEmail'
    | 'organizations.organizationById'
    | 'organizations.invitationsOf'
    | 'organizations.invitationBySecret'
    | 'organizations.invite'
    | 'organizations.acceptInvitation'
    | 'organizations.deleteInvitation'
    | 'organizations.changeRole'
    | 'organizations.endMembership'
  >
  clock: Pick<Clock, 'now'>
}

const refuse = (field: string, sentence: string) =>
  new MishapError('VALIDATION', { detail: sentence, fields: { [field]: [sentence] } })

async function roleOf(meta: Deps['meta'], organization: Organization, person: Person): Promise<Role> {
  const member = await meta.organizations.memberOf(organization.id, person.id)
  if (!member) throw new MishapError('NOT_FOUND')
  return member.role
}

/**
 * Stores an invitation for an address, with a role below the inviter's, for 7 days. It replaces an earlier invitation.
 * Returns the secret of the link, which is not stored. Throws VALIDATION (email, role), CONFLICT for a member.
 */
export async function addInvitation(
  { meta, clock }: Deps,
  by: Person,
  organization: Organization,
  request: { email: string; role: Role },
): Promise<{ invitation: Invitation; secret: string }> {
  const email = request.email.trim().toLowerCase()
  if (email.length > emailCharactersMax || !z.email().safeParse(email).success)
    throw refuse('email', `Use one e-mail address of at most ${emailCharactersMax} characters.`)
  if (!rolesToInvite(await roleOf(meta, organization, by)).includes(request.role))
    throw refuse('role', 'Invite with a role below your own.')
  const invited = await meta.people.personByEmail(email)
  if (invited && (await meta.organizations.memberOf(organization.id, invited.id)))
    throw new MishapError('CONFLICT', {
      detail: 'This person is already a member.',
      fields: { email: ['This person is already a member.'] },
    })
  const open = await meta.organizations.invitationsOf(organization.id)
  if (open.length >= invitationsMax && !open.some((item) => item.email === email))
    throw refuse('email', `At most ${invitationsMax} invitations may be open. Revoke some.`)
  const secret = randomBytes(32).toString('base64url')
  const value = { organizationId: organization.id, email, role: request.role, invitedBy: by.id, secret }
  return { invitation: await meta.organizations.invite({ ...value, nowMs: clock.now() }), secret }
}

/**
 * Invites an address and mails the link if a mail server is set. Returns the link, which cannot be read again, and why
 * it was not mailed: '' without a mail server, undefined on success. Throws like `addInvitation`.
 */
export async function inviteMember(
  deps: Deps & { alerts: Pick<Alerts, 'mail'>; config: { url: string } },
  by: Person,
  organization: Organization,
  request: { email: string; role: Role },
): Promise<{ invitation: Invitation; link: string; failure: string | undefined }> {
  const { invitation, secret } = await addInvitation(deps, by, organization, request)
  const link = `${deps.config.url}/invite/${secret}`
  const { email: to, role, expiresMs } = invitation
  const failure = await deps.alerts.mail(invitationMail({ to, by, organization, role, link, expiresMs }))
  return { invitation, link, failure }
}

/** Returns the invitation of a link if it is neither expired nor revoked and its inviter can still grant the role. */
export async function openInvitation({ meta, clock }: Deps, secret: string): Promise<Invitation | undefined> {
  // Do not hash a text of any length: a secret has 43 characters.
  if (!/^[\w-]{43}$/.test(secret)) return undefined
  const found = await meta.organizations.invitationBySecret(secret)
  if (!found || found.expiresMs <= clock.now()) return undefined
  const maker = await meta.organizations.memberOf(found.organizationId, found.invitedBy)
  return maker && rolesToInvite(maker.role).includes(found.role) ? found : undefined
}

const invalidInvitation = () =>
  new MishapError('NOT_FOUND', { detail: 'This invitation is no longer valid.', causes: ['Ask for a new one.'] })

/** Makes the person a member with the secret of a link. Throws NOT_FOUND when the invitation is no longer valid. */
export async function acceptInvitation(deps: Deps, secret: string, person: Person): Promise<Member> {
  const invitation = await openInvitation(deps, secret)
  if (!invitation) throw invalidInvitation()
  return deps.meta.organizations.acceptInvitation(invitation.id, person.id, deps.clock.now())
}

/**
 * Joins with the secret of a link: as the signed-in person, or with a new account for the invited address. Throws
 * NOT_FOUND when the invitation is no longer valid, and the errors of `createPerson`.
 */
export async function joinByInvitation(
  deps: Deps & { auth: Pick<Auth, 'createPerson'> },
  secret: string,
  who: Person | { name: string; password: string },
): Promise<Member> {
  const invitation = await openInvitation(deps, secret)
  // Check the link first: an invalid one must not create an account.
  if (!invitation) throw invalidInvitation()
  if ('id' in who) return acceptInvitation(deps, secret, who)
  const organization = await deps.meta.organizations.organizationById(invitation.organizationId)
  const names = organization ? [organization.name, organization.slug] : []
  const person = await deps.auth.createPerson({ ...who, email: invitation.email, names })
  return acceptInvitation(deps, secret, person)
}

/** Revokes an invitation. Throws NOT_FOUND, AUTH_FORBIDDEN when its role is not below the caller's. */
export async function takeBackInvitation(
  { meta }: Pick<Deps, 'meta'>,
  by: Person,
  organization: Organization,
  id: number,
): Promise<void> {
  const found = (await meta.organizations.invitationsOf(organization.id)).find((invitation) => invitation.id === id)
  if (!found) throw new MishapError('NOT_FOUND')
  if (!rolesToInvite(await roleOf(meta, organization, by)).includes(found.role)) throw new MishapError('AUTH_FORBIDDEN')
  await meta.organizations.deleteInvitation(id)
}

/** Returns the caller's role. Throws unless the caller outranks the member, is an owner, or is the member. */
async function demandAbove(meta: Deps['meta'], by: Person, organization: Organization, userId: string): Promise<Role> {
  const role = await roleOf(meta, organization, by)
  const member = await meta.organizations.memberOf(organization.id, userId)
  if (!member) throw new MishapError('NOT_FOUND')
  if (userId !== by.id && !mayChange(role, member.role))
    throw new MishapError('AUTH_FORBIDDEN', { detail: 'Only roles below your own can be changed.' })
  return role
}

/**
 * Changes a member's role to one below the caller's (an owner can give any). Throws NOT_FOUND, AUTH_FORBIDDEN,
 * VALIDATION (role), CONFLICT when no owner would remain.
 */
export async function updateMember(
  { meta }: Pick<Deps, 'meta'>,
  by: Person,
  organization: Organization,
  userId: string,
  role: Role,
): Promise<void> {
  const own = await demandAbove(meta, by, organization, userId)
  if (!rolesToGive(own).includes(role) && !(userId === by.id && role === own))
    throw refuse('role', 'Give a role below your own.')
  await meta.organizations.changeRole(organization.id, userId, role)
}

/** Ends a membership (one's own, too) and its tokens. Throws NOT_FOUND, AUTH_FORBIDDEN, CONFLICT for the last owner. */
export async function removeMember(
  { meta }: Pick<Deps, 'meta'>,
  by: Person,
  organization: Organization,
  userId: string,
): Promise<void> {
  await demandAbove(meta, by, organization, userId)
  await meta.organizations.endMembership(organization.id, userId)
}
