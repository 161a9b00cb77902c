import { z } from 'zod'
import type { Actor } from '../../auth/auth.ts'
import { MishapError } from '../../base/errors.ts'
import {
  type InvitationBody,
  invitationBody,
  memberChangeBody,
  type RestInvitation,
  type RestNewInvitation,
  restInvitation,
  restNewInvitation,
} from '../../contract/people.ts'
import { type RestMemberDetail, restMemberDetail } from '../../contract/teams.ts'
import { inviteMember, removeMember, takeBackInvitation, updateMember } from '../../operations/members.ts'
import type { App } from '../../processes/parts.ts'
import type { Organization } from '../../store/meta/meta.ts'
import type { Invitation } from '../../store/meta/people/members.ts'
import { idOf, organizationOf, type Route, route } from '../route.ts'
import { membersOf } from './organization-routes.ts'
import { roleLists } from './role-lists.ts'

async function toRestInvitation(app: App, invitation: Invitation): Promise<RestInvitation> {
  const by = await app.meta.people.personById(invitation.invitedBy)
  return {
    id: String(invitation.id),
    email: invitation.email,
    role: invitation.role,
    invitedBy: by ? { id: by.id, name: by.name, email: by.email } : null,
    dateCreated: new Date(invitation.createdMs).toISOString(),
    dateExpires: new Date(invitation.expiresMs).toISOString(),
    expired: invitation.expiresMs <= app.clock.now(),
  }
}

async function invite(
  app: App,
  actor: Actor,
  organization: Organization,
  body: InvitationBody,
): Promise<RestNewInvitation> {
  const { invitation, link, failure } = await inviteMember(app, actor.person, organization, body)
  return {
    invitation: await toRestInvitation(app, invitation),
    link,
    mailed: failure === undefined,
    mailError: failure || null,
  }
}

async function memberOfCall(app: App, organization: Organization, id: string | undefined): Promise<RestMemberDetail> {
  const member = (await membersOf(app, organization)).find((candidate) => candidate.id === id)
  if (!member) throw new MishapError('NOT_FOUND')
  const teamSlug = organization.slug
  return { ...member, teams: [teamSlug], teamRoles: [{ teamSlug, role: 'contributor' }], ...roleLists }
}

const O = '/organizations/:org'

/** Members and invitations. */
export const peopleRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: `${O}/members/:member`,
    operationId: 'member',
    summary: 'One member.',
    action: 'member:read',
    response: restMemberDetail,
    handle: async ({ app, found, params }) => ({ body: await memberOfCall(app, organizationOf(found), params.member) }),
  }),
  route({
    method: 'PUT',
    path: `${O}/members/:member`,
    operationId: 'updateMember',
    summary:
      'Changes the role of a member to one below the caller’s own (owners: any role). 409 if no owner would be left.',
    action: 'member:write',
    body: memberChangeBody,
    response: restMemberDetail,
    handle: async ({ app, actor, found, params, body }) => {
      const organization = organizationOf(found)
      await updateMember(app, actor.person, organization, params.member ?? '', body.role)
      return { body: await memberOfCall(app, organization, params.member) }
    },
  }),
  route({
    method: 'DELETE',
    path: `${O}/members/:member`,
    operationId: 'removeMember',
    summary: 'Removes a member and the tokens bound to the membership. 409 for the last owner.',
    action: 'member:write',
    status: 204,
    response: z.undefined(),
    handle: async ({ app, actor, found, params }) => {
      await removeMember(app, actor.person, organizationOf(found), params.member ?? '')
      return { body: undefined, status: 204 }
    },
  }),
  route({
    method: 'DELETE',
    path: `${O}/membership`,
    operationId: 'leave',
    summary: 'Leaves the organization. 409 for its last owner.',
    action: 'member:leave',
    status: 204,
    response: z.undefined(),
    handle: async ({ app, actor, found }) => {
      await removeMember(app, actor.person, organizationOf(found), actor.person.id)
      return { body: undefined, status: 204 }
    },
  }),
  route({
    method: 'GET',
    path: `${O}/invitations`,
    operationId: 'listInvitations',
    summary: 'Open invitations, newest first.',
    action: 'member:read',
    response: z.array(restInvitation),
    handle: async ({ app, found }) => ({
      body: await Array.fromAsync(
        await app.meta.organizations.invitationsOf(organizationOf(found).id),
        async (invitation) => toRestInvitation(app, invitation),
      ),
    }),
  }),
  route({
    method: 'POST',
    path: `${O}/invitations`,
    operationId: 'invite',
    summary:
      'Invites an address for 7 days, with a role below the caller’s own. It replaces an earlier invitation of this address.',
    action: 'member:write',
    body: invitationBody,
    status: 201,
    response: restNewInvitation,
    handle: async ({ app, actor, found, body }) => ({
      body: await invite(app, actor, organizationOf(found), body),
    }),
  }),
  route({
    method: 'DELETE',
    path: `${O}/invitations/:invitation`,
    operationId: 'deleteInvitation',
    summary: 'Revokes an invitation. Its link becomes invalid.',
    action: 'member:write',
    status: 204,
    response: z.undefined(),
    handle: async ({ app, actor, found, params }) => {
      await takeBackInvitation(app, actor.person, organizationOf(found), idOf(params.invitation))
      return { body: undefined, status: 204 }
    },
  }),
]
