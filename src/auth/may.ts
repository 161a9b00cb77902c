import type { MetaStore } from '../store/meta/meta-store.ts'
import type { Action, Actor, Role, Thing, Verdict } from './auth.ts'

/** Roles allowed for each action (docs/specification.md 6), and the token scopes. A token needs one of these scopes. */
export const permissions: Record<Action, { roles: readonly Role[]; scopes: readonly string[] }> = {
  'organization:read': {
    roles: ['owner', 'admin', 'member', 'viewer'],
    scopes: ['org:read', 'org:write', 'org:admin'],
  },
  'organization:write': { roles: ['owner', 'admin'], scopes: ['org:write', 'org:admin'] },
  'project:read': {
    roles: ['owner', 'admin', 'member', 'viewer'],
    scopes: ['project:read', 'project:write', 'project:admin'],
  },
  'project:create': { roles: ['owner', 'admin', 'member'], scopes: ['project:write', 'project:admin'] },
  'project:write': { roles: ['owner', 'admin'], scopes: ['project:write', 'project:admin'] },
  'key:write': { roles: ['owner', 'admin'], scopes: ['project:write', 'project:admin'] },
  'issue:read': { roles: ['owner', 'admin', 'member', 'viewer'], scopes: ['event:read', 'event:write', 'event:admin'] },
  'issue:triage': { roles: ['owner', 'admin', 'member'], scopes: ['event:write', 'event:admin'] },
  // A person's own state of an issue: seen, bookmarked, followed. Anyone who can be mentioned can stop the mails.
  'issue:own': { roles: ['owner', 'admin', 'member', 'viewer'], scopes: ['event:write', 'event:admin'] },
  // A person's own saved views. Shared views need issue:triage.
  'search:own': { roles: ['owner', 'admin', 'member', 'viewer'], scopes: ['event:write', 'event:admin'] },
  'dashboard:read': {
    roles: ['owner', 'admin', 'member', 'viewer'],
    scopes: ['event:read', 'event:write', 'event:admin', 'org:read', 'org:write', 'org:admin'],
  },
  'dashboard:write': {
    roles: ['owner', 'admin', 'member'],
    scopes: ['event:write', 'event:admin', 'org:write', 'org:admin'],
  },
  'event:read': { roles: ['owner', 'admin', 'member', 'viewer'], scopes: ['event:read', 'event:write', 'event:admin'] },
  'member:read': {
    roles: ['owner', 'admin', 'member', 'viewer'],
    scopes: ['member:read', 'org:read', 'org:write', 'org:admin'],
  },
  // The team of an organization is the organization itself under another name.
  'team:read': {
    roles: ['owner', 'admin', 'member', 'viewer'],
    scopes: ['team:read', 'org:read', 'org:write', 'org:admin'],
  },
  'member:write': { roles: ['owner', 'admin'], scopes: ['org:admin'] },
  // Everybody can leave. The caller checks that an owner remains.
  'member:leave': { roles: ['owner', 'admin', 'member', 'viewer'], scopes: ['org:write', 'org:admin'] },
  'issue:delete': { roles: ['owner', 'admin'], scopes: ['event:admin'] },
  'organization:delete': { roles: ['owner'], scopes: ['org:admin'] },
  'project:delete': { roles: ['owner', 'admin'], scopes: ['project:admin'] },
  // A token cannot create tokens: a leaked one would survive its own deletion.
  'token:own': { roles: ['owner', 'admin', 'member'], scopes: [] },
  'token:organization': { roles: ['owner', 'admin'], scopes: [] },
  'channel:read': {
    roles: ['owner', 'admin', 'member', 'viewer'],
    scopes: ['alerts:read', 'alerts:write', 'org:read', 'org:write', 'org:admin'],
  },
  'channel:write': { roles: ['owner', 'admin', 'member'], scopes: ['alerts:write', 'org:write', 'org:admin'] },
  // A connection has a token that acts for a person of the organization in the tracker. Everybody reads it.
  'integration:write': { roles: ['owner', 'admin'], scopes: ['org:write', 'org:admin'] },
  'alert:read': {
    roles: ['owner', 'admin', 'member', 'viewer'],
    scopes: ['alerts:read', 'alerts:write', 'org:read', 'org:write', 'org:admin'],
  },
  'alert:write': { roles: ['owner', 'admin', 'member'], scopes: ['alerts:write', 'org:write', 'org:admin'] },
  // Releases and the uploads of builds. Build tokens carry org:ci.
  'release:read': {
    roles: ['owner', 'admin', 'member', 'viewer'],
    scopes: ['project:read', 'project:releases', 'project:write', 'project:admin', 'org:ci'],
  },
  'release:write': {
    roles: ['owner', 'admin', 'member'],
    scopes: ['project:releases', 'project:write', 'project:admin', 'org:ci'],
  },
  // SQL over everything that the projects store.
  'query:sql': { roles: ['owner'], scopes: ['org:admin'] },
  // The operator, the owner of the first organization, decides on everything that organizations share.
  'instance:read': { roles: ['owner'], scopes: ['org:read', 'org:write', 'org:admin'] },
  'instance:write': { roles: ['owner'], scopes: ['org:admin'] },
  'status:read': { roles: ['owner', 'admin', 'member', 'viewer'], scopes: ['org:read', 'org:write', 'org:admin'] },
}

/** All scopes that a token can have. Scopes without an action here are for future calls. */
export const scopes = [
  'org:read',
  'org:write',
  'org:admin',
  'org:ci',
  'project:read',
  'project:write',
  'project:admin',
  'project:releases',
  'event:read',
  'event:write',
  'event:admin',
  'member:read',
  'team:read',
  'alerts:read',
  'alerts:write',
] as const

/** Actions reserved for owners of the first organization. */
const operators: ReadonlySet<Action> = new Set(['instance:read', 'instance:write'])

/** Returns the roles of the actor where the object lies; empty for a stranger. */
async function rolesAt(meta: MetaStore, actor: Actor, action: Action, thing: Thing): Promise<Role[]> {
  const bound = actor.kind === 'token' ? actor.organizationId : null
  if ('instance' in thing) {
    if (actor.kind === 'token' && actor.ofOrganization) return []
    const first = operators.has(action) ? (await meta.organizations.organizations())[0]?.id : undefined
    return (await meta.organizations.organizationsOf(actor.person.id))
      .filter((membership) => bound === null || membership.id === bound)
      .filter((membership) => !operators.has(action) || membership.id === first)
      .map((membership) => membership.role)
  }
  const { organization } = thing
  if (bound !== null && bound !== organization.id) return []
  // Ids in a request path can name objects of another organization.
  if ('project' in thing && thing.project.organizationId !== organization.id) return []
  if ('issue' in thing && thing.issue.projectId !== thing.project.id) return []
  // Builds continue after the creator of their token has left. The scope limits the token.
  if (actor.kind === 'token' && actor.ofOrganization) return bound === null ? [] : ['member']
  const member = await meta.organizations.memberOf(organization.id, actor.person.id)
  return member ? [member.role] : []
}

/** Returns whether the actor is allowed to do this. See Verdict for the meaning of each result. */
export async function verdict(meta: MetaStore, actor: Actor, action: Action, thing: Thing): Promise<Verdict> {
  const roles = await rolesAt(meta, actor, action, thing)
  if (roles.length === 0) return 'hidden'
  const allowed = permissions[action]
  if (!roles.some((role) => allowed.roles.includes(role))) return 'no'
  if (actor.kind === 'token' && !actor.scopes.some((scope) => allowed.scopes.includes(scope))) return 'scope'
  return 'yes'
}
