import type { MetaStore } from '../store/meta/meta-store.ts'
import type { Action, Actor, Role, Thing, Verdict } from './auth.ts'

/** Which roles may do what (docs/specification.md 6) and which token scopes allow it; a token needs one of them. */
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
  // What is one's own of an issue: seen, bookmarked, followed. Whoever can be named in a comment can stop its mails.
  'issue:own': { roles: ['owner', 'admin', 'member', 'viewer'], scopes: ['event:write', 'event:admin'] },
  // One's own saved views; what everybody sees of them is triage.
  'search:own': { roles: ['owner', 'admin', 'member', 'viewer'], scopes: ['event:write', 'event:admin'] },
  'event:read': { roles: ['owner', 'admin', 'member', 'viewer'], scopes: ['event:read', 'event:write', 'event:admin'] },
  'member:read': {
    roles: ['owner', 'admin', 'member', 'viewer'],
    scopes: ['member:read', 'org:read', 'org:write', 'org:admin'],
  },
  // Its team is the organization under another name.
  'team:read': {
    roles: ['owner', 'admin', 'member', 'viewer'],
    scopes: ['team:read', 'org:read', 'org:write', 'org:admin'],
  },
  'member:write': { roles: ['owner', 'admin'], scopes: ['org:admin'] },
  // Everybody may go; whether somebody is left to own what stays is asked where it is done.
  'member:leave': { roles: ['owner', 'admin', 'member', 'viewer'], scopes: ['org:write', 'org:admin'] },
  'issue:delete': { roles: ['owner', 'admin'], scopes: ['event:admin'] },
  'organization:delete': { roles: ['owner'], scopes: ['org:admin'] },
  'project:delete': { roles: ['owner', 'admin'], scopes: ['project:admin'] },
  // A token can't make another token: a leaked one would outlive its own deletion.
  'token:own': { roles: ['owner', 'admin', 'member'], scopes: [] },
  'token:organization': { roles: ['owner', 'admin'], scopes: [] },
  'channel:read': {
    roles: ['owner', 'admin', 'member', 'viewer'],
    scopes: ['alerts:read', 'alerts:write', 'org:read', 'org:write', 'org:admin'],
  },
  'channel:write': { roles: ['owner', 'admin', 'member'], scopes: ['alerts:write', 'org:write', 'org:admin'] },
  // Releases and what builds upload to them; org:ci is what a build's token carries.
  'release:read': {
    roles: ['owner', 'admin', 'member', 'viewer'],
    scopes: ['project:read', 'project:releases', 'project:write', 'project:admin', 'org:ci'],
  },
  'release:write': {
    roles: ['owner', 'admin', 'member'],
    scopes: ['project:releases', 'project:write', 'project:admin', 'org:ci'],
  },
  // The operator decides on what all organizations share. The operator is the owner of the first organization.
  'instance:read': { roles: ['owner'], scopes: ['org:read', 'org:write', 'org:admin'] },
  'instance:write': { roles: ['owner'], scopes: ['org:admin'] },
  'status:read': { roles: ['owner', 'admin', 'member', 'viewer'], scopes: ['org:read', 'org:write', 'org:admin'] },
}

/** Every scope that a token may carry; those without an action here are for calls that come later. */
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

/** What only owners of the first organization may. */
const operators: ReadonlySet<Action> = new Set(['instance:read', 'instance:write'])

/** The actor's roles where the thing lies; empty for a stranger. */
function rolesAt(meta: MetaStore, actor: Actor, action: Action, thing: Thing): Role[] {
  const bound = actor.kind === 'token' ? actor.organizationId : null
  if ('instance' in thing) {
    if (actor.kind === 'token' && actor.ofOrganization) return []
    return meta
      .organizationsOf(actor.person.id)
      .filter((item) => bound === null || item.id === bound)
      .filter((item) => !operators.has(action) || item.id === meta.organizations()[0]?.id)
      .map((item) => item.role)
  }
  const { organization } = thing
  if (bound !== null && bound !== organization.id) return []
  // Ids from a request's path may name things of somebody else.
  if ('project' in thing && thing.project.organizationId !== organization.id) return []
  if ('issue' in thing && thing.issue.projectId !== thing.project.id) return []
  // Builds go on when whoever made their token has left; its scope bounds what it may.
  if (actor.kind === 'token' && actor.ofOrganization) return bound === null ? [] : ['member']
  const member = meta.memberOf(organization.id, actor.person.id)
  return member ? [member.role] : []
}

/** Whether the actor may do this to that: see Verdict for what each answer means. */
export function verdict(meta: MetaStore, actor: Actor, action: Action, thing: Thing): Verdict {
  const roles = rolesAt(meta, actor, action, thing)
  if (roles.length === 0) return 'hidden'
  const allowed = permissions[action]
  if (!roles.some((role) => allowed.roles.includes(role))) return 'no'
  if (actor.kind === 'token' && !actor.scopes.some((scope) => allowed.scopes.includes(scope))) return 'scope'
  return 'yes'
}
