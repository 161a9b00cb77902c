import { z } from 'zod'
import type { RestTeam, RestTeamMember } from './rest-team.ts'
import * as shapes from './schemas.ts'

const flags = z.strictObject({
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

const roleListShapes = { orgRoleList: z.array(flags), teamRoleList: z.array(teamRole) }

/** Shapes of teams, as in schemas.ts. */

export const team = z
  .strictObject({
    id: shapes.digits,
    slug: z.string(),
    name: z.string(),
    dateCreated: shapes.time,
    isMember: z.boolean(),
    teamRole: z.literal('contributor').nullable(),
    flags: z.strictObject({ 'idp:provisioned': z.literal(false) }),
    access: z.array(z.string()),
    hasAccess: z.boolean(),
    isPending: z.literal(false),
    memberCount: z.int(),
    avatar: z.strictObject({ avatarType: z.literal('letter_avatar'), avatarUuid: z.null() }),
    externalTeams: z.array(z.never()),
    projects: z.array(shapes.project).exactOptional().describe('Left out by detailed=0.'),
    organization: shapes.organization.exactOptional().describe('In one team only.'),
  })
  .meta({ id: 'Team' })
team satisfies z.ZodType<Omit<RestTeam, 'projects'>>

export const teamMember = shapes.member
  .extend({ teamSlug: z.string(), teamRole: z.literal('contributor') })
  .meta({ id: 'TeamMember' }) satisfies z.ZodType<RestTeamMember>

/** One member, with the roles that there are. */
export const memberDetail = shapes.member
  .extend({
    teams: z.array(z.string()),
    teamRoles: z.array(z.strictObject({ teamSlug: z.string(), role: z.literal('contributor') })),
    ...roleListShapes,
  })
  .meta({ id: 'MemberDetail' })

/** One organization: its team stands in it, as clients look for it there. */
export const organizationDetail = shapes.organization
  .extend({ teams: z.array(team), ...roleListShapes })
  .meta({ id: 'OrganizationDetail' })
