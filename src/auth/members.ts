import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import type { Clock } from '../base/clock.ts'
import { MishapError } from '../base/errors.ts'
import type { Member, Organization, Person, Role } from '../store/meta/meta.ts'
import type { MetaStore } from '../store/meta/meta-store.ts'
import type { Invitation } from '../store/meta/people/members.ts'

/** From the least to the most. */
export const roles = ['viewer', 'member', 'admin', 'owner'] as const satisfies readonly Role[]

const rank = (role: Role): number => roles.indexOf(role)
/** Invitations of one organization that are open at the same time. */
const invitationsMax = 500
const emailCharactersMax = 254

type MemberContext = { meta: MetaStore; clock: Clock }

/** Roles that somebody of this role may invite to: those below. */
export const rolesToInvite = (own: Role): Role[] => roles.filter((role) => rank(role) < rank(own))

/** Roles that somebody of this role may give to a member: those below; an owner all, so that ownership can move. */
export const rolesToGive = (own: Role): Role[] => (own === 'owner' ? [...roles] : rolesToInvite(own))

/** Whether somebody of this role may change or remove a member of that one: those below; an owner all. */
export const mayChange = (own: Role, of: Role): boolean => own === 'owner' || rank(of) < rank(own)

const refuse = (field: string, sentence: string) =>
  new MishapError('VALIDATION', { detail: sentence, fields: { [field]: [sentence] } })

function roleOf(meta: MetaStore, organization: Organization, person: Person): Role {
  const member = meta.memberOf(organization.id, person.id)
  if (!member) throw new MishapError('NOT_FOUND')
  return member.role
}

/**
 * Invites an address with a role below the inviter's own, for 7 days; an earlier invitation of it ends. Returns the
 * secret of the link, which is known this once. Throws VALIDATION (email, role), CONFLICT for a member.
 */
export function inviteMember(
  { meta, clock }: MemberContext,
  by: Person,
  organization: Organization,
  asked: { email: string; role: Role },
): { invitation: Invitation; secret: string } {
  const email = asked.email.trim().toLowerCase()
  if (email.length > emailCharactersMax || !z.email().safeParse(email).success)
    throw refuse('email', `Use one e-mail address of at most ${emailCharactersMax} characters.`)
  if (!rolesToInvite(roleOf(meta, organization, by)).includes(asked.role))
    throw refuse('role', 'Invite with a role below your own.')
  const known = meta.personByEmail(email)
  if (known && meta.memberOf(organization.id, known.id))
    throw new MishapError('CONFLICT', {
      detail: 'This person is a member already.',
      fields: { email: ['This person is a member already.'] },
    })
  const open = meta.invitationsOf(organization.id)
  if (open.length >= invitationsMax && !open.some((item) => item.email === email))
    throw refuse('email', `At most ${invitationsMax} invitations may be open. Take some back.`)
  const secret = randomBytes(32).toString('base64url')
  const value = { organizationId: organization.id, email, role: asked.role, invitedBy: by.id, secret }
  return { invitation: meta.invite({ ...value, nowMs: clock.now() }), secret }
}

/** The invitation of a link as long as it is good: not expired, not taken back, and its maker may still make it. */
export function openInvitation({ meta, clock }: MemberContext, secret: string): Invitation | undefined {
  // No longer text is hashed than a secret has.
  if (!/^[\w-]{43}$/.test(secret)) return undefined
  const found = meta.invitationBySecret(secret)
  if (!found || found.expiresMs <= clock.now()) return undefined
  const maker = meta.memberOf(found.organizationId, found.invitedBy)
  return maker && rolesToInvite(maker.role).includes(found.role) ? found : undefined
}

/** Makes the person a member by a link's secret. Throws NOT_FOUND when the invitation is not good any more. */
export function acceptInvitation(parts: MemberContext, secret: string, person: Person): Member {
  const invitation = openInvitation(parts, secret)
  if (!invitation)
    throw new MishapError('NOT_FOUND', {
      detail: 'This invitation is not good any more.',
      causes: ['Ask for a new one.'],
    })
  return parts.meta.acceptInvitation(invitation.id, person.id, parts.clock.now())
}

/** Takes an invitation back. Throws NOT_FOUND, AUTH_FORBIDDEN for one to a role that is not below the caller's. */
export function takeBack(
  { meta }: Pick<MemberContext, 'meta'>,
  by: Person,
  organization: Organization,
  id: number,
): void {
  const found = meta.invitationsOf(organization.id).find((invitation) => invitation.id === id)
  if (!found) throw new MishapError('NOT_FOUND')
  if (!rolesToInvite(roleOf(meta, organization, by)).includes(found.role)) throw new MishapError('AUTH_FORBIDDEN')
  meta.deleteInvitation(id)
}

/** Throws unless the caller stands above the member, is an owner, or is the member. */
function demandAbove(meta: MetaStore, by: Person, organization: Organization, userId: string): Role {
  const own = roleOf(meta, organization, by)
  const member = meta.memberOf(organization.id, userId)
  if (!member) throw new MishapError('NOT_FOUND')
  if (userId !== by.id && !mayChange(own, member.role))
    throw new MishapError('AUTH_FORBIDDEN', { detail: 'Only roles below your own can be changed.' })
  return own
}

/**
 * Gives a member another role: below the caller's own (an owner gives any). Throws NOT_FOUND, AUTH_FORBIDDEN, VALIDATION
 * (role), CONFLICT when no owner would be left.
 */
export function changeMember(
  { meta }: Pick<MemberContext, 'meta'>,
  by: Person,
  organization: Organization,
  userId: string,
  role: Role,
): void {
  const own = demandAbove(meta, by, organization, userId)
  if (!rolesToGive(own).includes(role) && !(userId === by.id && role === own))
    throw refuse('role', 'Give a role below your own.')
  meta.changeRole(organization.id, userId, role)
}

/** Ends a membership with its tokens; one's own is leaving. Throws NOT_FOUND, AUTH_FORBIDDEN, CONFLICT for the last owner. */
export function removeMember(
  { meta }: Pick<MemberContext, 'meta'>,
  by: Person,
  organization: Organization,
  userId: string,
): void {
  demandAbove(meta, by, organization, userId)
  meta.endMembership(organization.id, userId)
}
