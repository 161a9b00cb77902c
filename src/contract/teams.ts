import { z } from 'zod'
import { restOrganization } from './organizations.ts'
import { restMember } from './people.ts'
import { restProject } from './projects.ts'
import { digits, time } from './scalars.ts'

/** Shapes of teams. Each organization has one team, with everyone and every project. */

const organizationRole = z.strictObject({
  id: z.string(),
  name: z.string(),
  desc: z.string(),
  scopes: z.array(z.string()),
  isAllowed: z.boolean(),
  isRetired: z.literal(false),
  isGlobal: z.boolean(),
  minimumTeamRole: z.string(),
})
const teamRole = z.strictObject({
  id: z.literal('contributor'),
  name: z.string(),
  desc: z.string(),
  scopes: z.array(z.string()),
  isAllowed: z.boolean(),
  isRetired: z.literal(false),
  isMinimumRoleFor: z.null(),
})
const roleLists = { orgRoleList: z.array(organizationRole), teamRoleList: z.array(teamRole) }

export const restTeam = z
  .strictObject({
    id: digits,
    slug: z.string(),
    name: z.string(),
    dateCreated: time,
    isMember: z.boolean(),
    /** The only role in a team. Permissions follow from the role in the organization. */
    teamRole: z.literal('contributor').nullable(),
    flags: z.strictObject({ 'idp:provisioned': z.literal(false) }),
    access: z.array(z.string()),
    hasAccess: z.boolean(),
    isPending: z.literal(false),
    memberCount: z.int(),
    avatar: z.strictObject({ avatarType: z.literal('letter_avatar'), avatarUuid: z.null() }),
    externalTeams: z.array(z.never()),
    projects: z.array(restProject).exactOptional().describe('Left out by detailed=0.'),
    organization: restOrganization.exactOptional().describe('In one team only.'),
  })
  .meta({ id: 'Team' })
export type RestTeam = z.infer<typeof restTeam>

export const restTeamMember = restMember
  .extend({ teamSlug: z.string(), teamRole: z.literal('contributor') })
  .meta({ id: 'TeamMember' })
export type RestTeamMember = z.infer<typeof restTeamMember>

/** One member, with the available roles. */
export const restMemberDetail = restMember
  .extend({
    teams: z.array(z.string()),
    teamRoles: z.array(z.strictObject({ teamSlug: z.string(), role: z.literal('contributor') })),
    ...roleLists,
  })
  .meta({ id: 'MemberDetail' })
export type RestMemberDetail = z.infer<typeof restMemberDetail>

/** One organization with its team, as clients expect it. */
export const restOrganizationDetail = restOrganization
  .extend({ teams: z.array(restTeam), ...roleLists })
  .meta({ id: 'OrganizationDetail' })
