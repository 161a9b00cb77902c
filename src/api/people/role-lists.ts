import { permissions } from '../../auth/may.ts'
import type { Role } from '../../store/meta/meta.ts'

/** Roles in the format that generated clients expect. */

const roles: readonly (readonly [Role, string, string])[] = [
  ['viewer', 'Viewer', 'Reads everything in the organization and changes nothing.'],
  ['member', 'Member', 'Triages issues, creates projects and uploads builds.'],
  ['admin', 'Admin', 'Manages projects, keys, members and the organization’s settings.'],
  ['owner', 'Owner', 'Does everything, and can delete the organization.'],
]

/** Returns the scopes that a token of this role can use. */
const scopesOf = (role: Role): string[] => [
  ...new Set(
    Object.values(permissions)
      .filter((permission) => permission.roles.includes(role))
      .flatMap((permission) => permission.scopes),
  ),
]

/** Roles in an organization from lowest to highest, and the one role in a team. */
export const roleLists = {
  orgRoleList: roles.map(([id, name, desc]) => ({
    id,
    name,
    desc,
    scopes: scopesOf(id),
    isAllowed: true,
    isRetired: false as const,
    isGlobal: true,
    minimumTeamRole: 'contributor',
  })),
  teamRoleList: [
    {
      id: 'contributor' as const,
      name: 'Contributor',
      desc: 'Has the permissions of the role in the organization.',
      scopes: [],
      isAllowed: true,
      isRetired: false as const,
      isMinimumRoleFor: null,
    },
  ],
}
