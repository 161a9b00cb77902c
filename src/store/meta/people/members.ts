import { createHash } from 'node:crypto'
import type { Selectable } from 'kysely'
import { MishapError } from '../../../base/errors.ts'
import { leaveSchedules } from '../alerts/on-call.ts'
import { insertedId, type Store } from '../database/store.ts'
import type { Tables } from '../database/tables.ts'
import { dropSuggestionsOf, sweepOrganization } from '../issues/suggestions.ts'
import type { Member, Role } from '../meta.ts'
import { dropPersonal } from '../personal/personal.ts'

/** Invitations are valid for 7 days (docs/people.md). */
const invitationMs = 7 * 86_400_000

/** An open invitation. The link's secret itself is never stored. */
export type Invitation = {
  id: number
  organizationId: number
  /** Lower case. */
  email: string
  role: Role
  invitedBy: string
  createdMs: number
  expiresMs: number
}

/** Invitations, and changes of members that keep at least one owner. */
export type MemberStore = {
  /** Stores an invitation and replaces an earlier one of the same address. `secret` opens it for 7 days. */
  invite(value: {
    organizationId: number
    email: string
    role: Role
    invitedBy: string
    secret: string
    nowMs: number
  }): Promise<Invitation>
  /** Open invitations, newest first, including expired ones. */
  invitationsOf(organizationId: number): Promise<Invitation[]>
  /** The invitation with this secret, expired or not. */
  invitationBySecret(secret: string): Promise<Invitation | undefined>
  deleteInvitation(id: number): Promise<void>
  /** Adds a member (an existing one keeps the role), ends the invitation. Throws NOT_FOUND if it is gone or expired. */
  acceptInvitation(id: number, userId: string, nowMs: number): Promise<Member>
  /** Throws NOT_FOUND for a non-member, CONFLICT when no owner would remain. */
  changeRole(organizationId: number, userId: string, role: Role): Promise<void>
  /**
   * Ends a membership with its tokens, invitations, personal settings and on-call turns. The browsers of a person who is
   * in no other organization go, too. Throws NOT_FOUND, CONFLICT for the last owner.
   */
  endMembership(organizationId: number, userId: string): Promise<void>
}

const hashOf = (secret: string) => createHash('sha256').update(secret).digest('hex')

const toInvitation = (row: Selectable<Tables['invitation']>): Invitation => ({
  id: row.id,
  organizationId: row.organization_id,
  email: row.email,
  role: row.role as Role,
  invitedBy: row.invited_by,
  createdMs: row.created_ms,
  expiresMs: row.expires_ms,
})

/** Implements invitations. */
export function invitationPart(
  store: Store,
): Pick<MemberStore, 'invite' | 'invitationsOf' | 'invitationBySecret' | 'deleteInvitation' | 'acceptInvitation'> {
  const { write, read } = store
  const { builder } = store.dialect
  const memberRow = (organizationId: number, userId: string) =>
    builder.selectFrom('member').selectAll().where('organization_id', '=', organizationId).where('user_id', '=', userId)
  return {
    invite: async ({ organizationId, email, role, invitedBy, secret, nowMs }) => {
      const row = {
        organization_id: organizationId,
        email: email.trim().toLowerCase(),
        role,
        token_hash: hashOf(secret),
        invited_by: invitedBy,
        created_ms: nowMs,
        expires_ms: nowMs + invitationMs,
      }
      return write.transaction(async () => {
        await write.run(
          builder.deleteFrom('invitation').where('organization_id', '=', organizationId).where('email', '=', row.email),
        )
        return toInvitation({ id: await insertedId(write, builder.insertInto('invitation').values(row)), ...row })
      })
    },
    invitationsOf: async (organizationId) =>
      (
        await read.all(
          builder
            .selectFrom('invitation')
            .selectAll()
            .where('organization_id', '=', organizationId)
            .orderBy('id', 'desc'),
        )
      ).map(toInvitation),
    invitationBySecret: async (secret) => {
      const row = await read.get(builder.selectFrom('invitation').selectAll().where('token_hash', '=', hashOf(secret)))
      return row && toInvitation(row)
    },
    deleteInvitation: async (id) => {
      await write.run(builder.deleteFrom('invitation').where('id', '=', id))
    },
    acceptInvitation: (id, userId, nowMs) =>
      write.transaction(async () => {
        const row = await write.get(builder.selectFrom('invitation').selectAll().where('id', '=', id))
        if (!row || row.expires_ms <= nowMs) throw new MishapError('NOT_FOUND')
        const organizationId = row.organization_id
        await write.run(builder.deleteFrom('invitation').where('id', '=', id))
        const found = await write.get(memberRow(organizationId, userId))
        if (found) return { organizationId, userId, role: found.role as Role, createdMs: found.created_ms }
        await write.run(
          builder
            .insertInto('member')
            .values({ organization_id: organizationId, user_id: userId, role: row.role, created_ms: nowMs }),
        )
        await sweepOrganization(store, organizationId)
        return { organizationId, userId, role: row.role as Role, createdMs: nowMs }
      }),
  }
}

/** Implements changes of memberships and roles. */
export function membershipPart(store: Store): Pick<MemberStore, 'changeRole' | 'endMembership'> {
  const { write } = store
  const { builder } = store.dialect
  /** Throws unless the person is a member, and another owner remains if an owner leaves. */
  const demandAnotherOwner = async (organizationId: number, userId: string, ends: (role: string) => boolean) => {
    const owners = await write.all(
      builder.selectFrom('member').selectAll().where('organization_id', '=', organizationId),
    )
    const owner = owners.find((row) => row.user_id === userId)
    if (!owner) throw new MishapError('NOT_FOUND')
    if (!ends(owner.role) || owners.some((row) => row.role === 'owner' && row.user_id !== userId)) return
    throw new MishapError('CONFLICT', {
      detail: 'An organization needs at least one owner.',
      causes: ['Make somebody else an owner first.'],
    })
  }
  const own = (organizationId: number, userId: string) =>
    [
      ['organization_id', organizationId],
      ['user_id', userId],
    ] as const

  return {
    changeRole: (organizationId, userId, role) =>
      write.transaction(async () => {
        await demandAnotherOwner(organizationId, userId, (old) => old === 'owner' && role !== 'owner')
        let query = builder.updateTable('member').set({ role })
        for (const [column, value] of own(organizationId, userId)) query = query.where(column, '=', value)
        await write.run(query)
      }),
    endMembership: (organizationId, userId) =>
      write.transaction(async () => {
        await demandAnotherOwner(organizationId, userId, (old) => old === 'owner')
        await write.run(
          builder.deleteFrom('member').where('organization_id', '=', organizationId).where('user_id', '=', userId),
        )
        await dropSuggestionsOf(store, organizationId, userId)
        await dropPersonal(store, organizationId, userId)
        await leaveSchedules(store, organizationId, userId)
        // Organization tokens (sntrys_) stay, because builds use them.
        await write.run(
          builder
            .deleteFrom('api_token')
            .where('organization_id', '=', organizationId)
            .where('user_id', '=', userId)
            .where('prefix', 'not like', 'sntrys%'),
        )
        await write.run(
          builder
            .deleteFrom('invitation')
            .where('organization_id', '=', organizationId)
            .where('invited_by', '=', userId),
        )
      }),
  }
}
