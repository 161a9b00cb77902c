import type { Role } from '../store/meta/meta.ts'

/** From the least to the most. */
export const roles = ['viewer', 'member', 'admin', 'owner'] as const satisfies readonly Role[]

const rank = (role: Role): number => roles.indexOf(role)

/** Roles that somebody of this role may invite to: those below. */
export const rolesToInvite = (own: Role): Role[] => roles.filter((role) => rank(role) < rank(own))

/** Roles that somebody of this role may give to a member: those below; an owner all, so that ownership can move. */
export const rolesToGive = (own: Role): Role[] => (own === 'owner' ? [...roles] : rolesToInvite(own))

/** Whether somebody of this role may change or remove a member of that one: those below; an owner all. */
export const mayChange = (own: Role, of: Role): boolean => own === 'owner' || rank(of) < rank(own)
