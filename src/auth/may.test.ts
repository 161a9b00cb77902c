import { describe, expect, test } from 'vitest'
import { eachSwitch } from '../domain/project-switches.ts'
import type { Organization, Project } from '../store/meta/meta.ts'
import type { MetaStore } from '../store/meta/meta-store.ts'
import type { Action, Actor, Role, Thing } from './auth.ts'
import { permissions, verdict } from './may.ts'

const organization: Organization = { id: 1, slug: 'acme', name: 'Acme', createdMs: 0 }
const other: Organization = { id: 2, slug: 'other', name: 'Other', createdMs: 0 }
const project: Project = {
  id: 5,
  organizationId: 1,
  slug: 'web',
  name: 'Web',
  platform: null,
  createdMs: 0,
  firstEventMs: null,
  allowedOrigins: [],
  switches: eachSwitch(() => false),
  metricSeriesMax: 10_000,
  rev: 0,
}
const issue = { id: 9, projectId: 5 } as never
const person = { id: 'ann', name: 'Ann', email: 'ann@example.com' }

/** A meta store with the two methods that `verdict` calls. */
const metaWith = (role: Role | undefined) =>
  ({
    organizations: {
      memberOf: async (organizationId: number, userId: string) =>
        role && organizationId === 1 && userId === 'ann' ? { organizationId, userId, role, createdMs: 0 } : undefined,
      organizationsOf: async () => (role ? [{ ...organization, role }] : []),
      organizations: async () => [organization, other],
    },
  }) as unknown as MetaStore

const session: Actor = { kind: 'session', person }
const token = (scopes: string[], organizationId: number | null = null): Actor => ({
  kind: 'token',
  person,
  organizationId,
  scopes,
})

const thingOf = (action: Action): Thing => {
  if (['token:own', 'instance:read', 'instance:write'].includes(action)) return { instance: true }
  const ofOrganization = ['project:create', 'team:read', 'status:read']
  if (action.startsWith('organization') || action.startsWith('channel') || ofOrganization.includes(action))
    return { organization }
  return action.startsWith('issue') || action.startsWith('event')
    ? { organization, project, issue }
    : { organization, project }
}

/** The table of docs/specification.md 6: roles, one scope that suffices and one that does not. */
const table: [Action, Record<Role, boolean>, string | null, string][] = [
  ['organization:read', { owner: true, admin: true, member: true, viewer: true }, 'org:read', 'event:admin'],
  ['organization:write', { owner: true, admin: true, member: false, viewer: false }, 'org:write', 'org:read'],
  ['project:read', { owner: true, admin: true, member: true, viewer: true }, 'project:read', 'project:releases'],
  ['project:create', { owner: true, admin: true, member: true, viewer: false }, 'project:write', 'project:read'],
  ['project:write', { owner: true, admin: true, member: false, viewer: false }, 'project:admin', 'project:read'],
  ['key:write', { owner: true, admin: true, member: false, viewer: false }, 'project:write', 'project:read'],
  ['issue:read', { owner: true, admin: true, member: true, viewer: true }, 'event:read', 'project:admin'],
  ['issue:triage', { owner: true, admin: true, member: true, viewer: false }, 'event:write', 'event:read'],
  ['issue:own', { owner: true, admin: true, member: true, viewer: true }, 'event:write', 'event:read'],
  ['event:read', { owner: true, admin: true, member: true, viewer: true }, 'event:admin', 'org:admin'],
  ['member:read', { owner: true, admin: true, member: true, viewer: true }, 'member:read', 'event:admin'],
  ['team:read', { owner: true, admin: true, member: true, viewer: true }, 'team:read', 'project:read'],
  ['member:write', { owner: true, admin: true, member: false, viewer: false }, 'org:admin', 'member:read'],
  ['member:leave', { owner: true, admin: true, member: true, viewer: true }, 'org:write', 'member:read'],
  ['issue:delete', { owner: true, admin: true, member: false, viewer: false }, 'event:admin', 'event:write'],
  ['organization:delete', { owner: true, admin: false, member: false, viewer: false }, 'org:admin', 'org:write'],
  ['project:delete', { owner: true, admin: true, member: false, viewer: false }, 'project:admin', 'project:write'],
  ['token:own', { owner: true, admin: true, member: true, viewer: false }, null, 'org:admin'],
  ['token:organization', { owner: true, admin: true, member: false, viewer: false }, null, 'org:admin'],
  ['channel:read', { owner: true, admin: true, member: true, viewer: true }, 'alerts:read', 'event:admin'],
  ['search:own', { owner: true, admin: true, member: true, viewer: true }, 'event:write', 'event:read'],
  ['query:sql', { owner: true, admin: false, member: false, viewer: false }, 'org:admin', 'org:read'],
  ['dashboard:read', { owner: true, admin: true, member: true, viewer: true }, 'org:read', 'project:read'],
  ['dashboard:write', { owner: true, admin: true, member: true, viewer: false }, 'event:write', 'event:read'],
  ['integration:write', { owner: true, admin: true, member: false, viewer: false }, 'org:write', 'org:read'],
  ['channel:write', { owner: true, admin: true, member: true, viewer: false }, 'alerts:write', 'alerts:read'],
  ['alert:read', { owner: true, admin: true, member: true, viewer: true }, 'alerts:read', 'event:admin'],
  ['alert:write', { owner: true, admin: true, member: true, viewer: false }, 'alerts:write', 'alerts:read'],
  ['instance:write', { owner: true, admin: false, member: false, viewer: false }, 'org:admin', 'org:write'],
  ['instance:read', { owner: true, admin: false, member: false, viewer: false }, 'org:read', 'event:read'],
  ['release:read', { owner: true, admin: true, member: true, viewer: true }, 'org:ci', 'org:admin'],
  ['release:write', { owner: true, admin: true, member: true, viewer: false }, 'project:releases', 'project:read'],
  ['status:read', { owner: true, admin: true, member: true, viewer: true }, 'org:read', 'event:read'],
]

test('the table knows every action', () => {
  expect(table.map(([action]) => action).sort()).toEqual(Object.keys(permissions).sort())
})

describe.each(table)('%s', (action, roles, scope, wrongScope) => {
  const thing = thingOf(action)
  test.each(Object.entries(roles) as [Role, boolean][])('%s: %s', async (role, allowed) => {
    const meta = metaWith(role)
    expect(await verdict(meta, session, action, thing)).toBe(allowed ? 'yes' : 'no')
    // A token never exceeds its owner, whatever its scopes.
    expect(await verdict(meta, token(['org:admin', 'project:admin', 'event:admin']), action, thing)).toBe(
      allowed ? (scope === null ? 'scope' : 'yes') : 'no',
    )
    expect(await verdict(meta, token([]), action, thing)).toBe(allowed ? 'scope' : 'no')
    expect(await verdict(meta, token([wrongScope]), action, thing)).toBe(allowed ? 'scope' : 'no')
    if (scope) expect(await verdict(meta, token([scope], 1), action, thing)).toBe(allowed ? 'yes' : 'no')
    // A token of another organization sees nothing here.
    expect(await verdict(meta, token(['org:admin', 'project:admin', 'event:admin'], 2), action, thing)).toBe('hidden')
  })

  test('a stranger', async () => {
    for (const actor of [session, token(['org:admin', 'project:admin', 'event:admin'])])
      expect(await verdict(metaWith(undefined), actor, action, thing)).toBe('hidden')
  })
})

test('a token of the organization works without a membership, within its scope and organization', async () => {
  const own = (organizationId: number | null): Actor => ({
    kind: 'token',
    person,
    organizationId,
    scopes: ['org:ci'],
    ofOrganization: true,
  })
  const ask = (action: Action, actor = own(1), thing = thingOf(action)) =>
    verdict(metaWith(undefined), actor, action, thing)
  expect(await Array.fromAsync(['release:read', 'release:write'], async (action) => ask(action as Action))).toEqual([
    'yes',
    'yes',
  ])
  for (const [action] of table.filter(([item]) => !item.startsWith('release')))
    expect([action, await ask(action)]).not.toEqual([action, 'yes'])
  expect(await ask('release:read', own(2))).toBe('hidden')
  expect(await ask('release:read', own(null))).toBe('hidden')
  expect(await ask('release:read', own(1), { organization: other })).toBe('hidden')
  expect(await ask('release:read', own(1), { organization, project: { ...project, organizationId: 2 } })).toBe('hidden')
})

test.each<[string, Thing]>([
  ['another organization', { organization: other }],
  ['a project of another organization', { organization, project: { ...project, organizationId: 2 } }],
  ['an issue of another project', { organization, project, issue: { id: 9, projectId: 6 } as never }],
])('the owner does not see %s', async (_says, thing) => {
  for (const action of Object.keys(permissions) as Action[])
    expect(await verdict(metaWith('owner'), session, action, thing)).toBe('hidden')
})

test('the operator is an owner of the first organization; another’s owner sees what all see, and no more', async () => {
  const metaOf = (organizations: { id: number; role: Role }[], first: Organization[] = [organization, other]) =>
    ({
      organizations: { organizationsOf: async () => organizations, organizations: async () => first },
    }) as unknown as MetaStore
  const instance: Thing = { instance: true }
  const second = metaOf([{ id: 2, role: 'owner' }])
  const both = metaOf([
    { id: 1, role: 'viewer' },
    { id: 2, role: 'owner' },
  ])
  const ask = (meta: MetaStore, action: Action, actor: Actor = session) => verdict(meta, actor, action, instance)
  expect([await ask(second, 'instance:read'), await ask(second, 'token:own')]).toEqual(['hidden', 'yes'])
  expect([await ask(both, 'instance:read'), await ask(both, 'instance:write'), await ask(both, 'token:own')]).toEqual([
    'no',
    'no',
    'yes',
  ])
  expect(await ask(metaOf([{ id: 2, role: 'owner' }], []), 'instance:read')).toBe('hidden')
  expect(await ask(metaOf([{ id: 1, role: 'owner' }]), 'instance:read')).toBe('yes')
  // A token of an organization acts for nobody, whoever created it.
  const own: Actor = { kind: 'token', person, organizationId: 1, scopes: ['org:admin'], ofOrganization: true }
  expect(await ask(metaOf([{ id: 1, role: 'owner' }]), 'instance:read', own)).toBe('hidden')
})
