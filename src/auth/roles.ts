import type { Role } from '../store/meta/meta.ts'

/** From lowest to highest. */
export const roles = ['viewer', 'member', 'admin', 'owner'] as const satisfies readonly Role[]

const rank = (role: Role): number => roles.indexOf(role)

/** Returns the roles that this role can invite to: those below it. */
export const rolesToInvite = (own: Role): Role[] => roles.filter((role) => rank(role) < rank(own))

/** Returns the roles that this role can assign: those below it. Owners assign all, to transfer ownership. */
export const rolesToGive = (own: Role): Role[] => (own === 'owner' ? [...roles] : rolesToInvite(own))

/** Returns whether this role can change or remove a member with the other role: only lower ones; an owner all. */
export const mayChange = (own: Role, of: Role): boolean => own === 'owner' || rank(of) < rank(own)
