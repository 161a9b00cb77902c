import { z } from 'zod'
import { readableProjects } from '../../auth/allowed-projects.ts'
import type { Actor } from '../../auth/auth.ts'
import { MishapError } from '../../base/errors.ts'
import { newProjectBody, restProject } from '../../contract/projects.ts'
import { type RestTeam, type RestTeamMember, restTeam, restTeamMember } from '../../contract/teams.ts'
import type { App } from '../../processes/parts.ts'
import type { Organization } from '../../store/meta/meta.ts'
import { createOrgProject, toRestProject } from '../projects/project-routes.ts'
import type { Call, Route } from '../route.ts'
import { organizationOf, projectOf, route } from '../route.ts'
import { membersOf, toRestOrganization } from './organization-routes.ts'

/** Returns the only team of an organization: it has everyone, all projects, and the same id, slug and name. */
export async function toRestTeam(
  app: App,
  actor: Actor,
  organization: Organization,
  isDetailed = true,
): Promise<RestTeam> {
  const { id, slug, name, createdMs } = organization
  const isMember = (await app.meta.organizations.memberOf(id, actor.person.id)) !== undefined
  return {
    id: String(id),
    slug,
    name,
    dateCreated: new Date(createdMs).toISOString(),
    isMember,
    teamRole: isMember ? 'contributor' : null,
    flags: { 'idp:provisioned': false },
    access: [],
    hasAccess: true,
    isPending: false,
    memberCount: (await app.meta.organizations.membersOf(id)).length,
    avatar: { avatarType: 'letter_avatar', avatarUuid: null },
    externalTeams: [],
    ...(isDetailed
      ? {
          projects: await Array.fromAsync(await readableProjects(app, actor, organization), async (readableProject) =>
            toRestProject(app, organization, readableProject),
          ),
        }
      : {}),
  }
}

/** Throws NOT_FOUND unless the path names the team of its organization by slug, id or a former slug. */
async function demandTeam({ app, found, params }: Call<unknown, unknown>): Promise<Organization> {
  const organization = organizationOf(found)
  const { team = '' } = params
  const isIts =
    team === organization.slug ||
    team === String(organization.id) ||
    (await app.meta.organizations.organizationByOldSlug(team))?.id === organization.id
  if (!isIts) throw new MishapError('NOT_FOUND')
  return organization
}

const notYet = () => {
  throw new MishapError('TEAMS_NOT_BUILT')
}
const O = '/organizations/:org/teams'
const T = '/teams/:org/:team'
const PT = '/projects/:org/:project/teams'
const detailed = z.object({ detailed: z.string().max(10).optional().describe('0: without projects.') })

/** Routes for custom teams, which are not supported yet. */
const refusals: readonly Route[] = [
  ...(
    [
      ['POST', O, 'createTeam', 'organization:write'],
      ['PUT', T, 'updateTeam', 'organization:write'],
      ['DELETE', T, 'deleteTeam', 'organization:write'],
      ['DELETE', `${PT}/:team`, 'removeProjectTeam', 'project:write'],
      ['DELETE', '/organizations/:org/members/:member/teams/:team', 'leaveTeam', 'member:write'],
    ] as const
  ).map(([method, path, operationId, action]) =>
    route({
      method,
      path,
      operationId,
      action,
      summary: 'Always 501 with the code TEAMS_NOT_BUILT: each organization has one team with all members.',
      response: z.never(),
      handle: async (call) => {
        if (call.params.team !== undefined) await demandTeam(call)
        return notYet()
      },
    }),
  ),
]

/** Minimal team routes for clients: one team per organization. */
export const teamRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: O,
    operationId: 'listTeams',
    summary: 'The team of an organization. It contains every member and every project.',
    action: 'team:read',
    query: detailed,
    response: z.array(restTeam),
    handle: async ({ app, actor, found, query }) => ({
      body: [await toRestTeam(app, actor, organizationOf(found), query.detailed !== '0')],
    }),
  }),
  route({
    method: 'GET',
    path: T,
    operationId: 'team',
    summary: 'One team, with its organization.',
    action: 'team:read',
    response: restTeam,
    handle: async (call) => {
      const organization = await demandTeam(call)
      const team = await toRestTeam(call.app, call.actor, organization)
      return { body: { ...team, organization: toRestOrganization(call.app, organization) } }
    },
  }),
  route({
    method: 'GET',
    path: `${T}/projects`,
    operationId: 'listTeamProjects',
    summary: 'Projects of a team.',
    action: 'team:read',
    response: z.array(restProject),
    handle: async (call) => {
      const organization = await demandTeam(call)
      return {
        body: await Array.fromAsync(
          await readableProjects(call.app, call.actor, organization),
          async (readableProject) => toRestProject(call.app, organization, readableProject),
        ),
      }
    },
  }),
  route({
    method: 'POST',
    path: `${T}/projects`,
    operationId: 'createTeamProject',
    summary: 'Creates a project with one key.',
    action: 'project:create',
    body: newProjectBody,
    status: 201,
    response: restProject,
    handle: async (call) => createOrgProject(call.app, await demandTeam(call), call.body),
  }),
  route({
    method: 'GET',
    path: `${T}/members`,
    operationId: 'listTeamMembers',
    summary: 'Members of a team: all members of the organization, in the order of joining.',
    action: 'member:read',
    response: z.array(restTeamMember),
    handle: async (call) => {
      const organization = await demandTeam(call)
      const membership = { teamSlug: organization.slug, teamRole: 'contributor' as const }
      return {
        body: (await membersOf(call.app, organization)).map((member): RestTeamMember => ({ ...member, ...membership })),
      }
    },
  }),
  route({
    method: 'GET',
    path: PT,
    operationId: 'listProjectTeams',
    summary: 'Teams of a project.',
    action: 'project:read',
    response: z.array(restTeam),
    handle: async ({ app, actor, found }) => ({ body: [await toRestTeam(app, actor, organizationOf(found), false)] }),
  }),
  route({
    method: 'POST',
    path: `${PT}/:team`,
    operationId: 'addProjectTeam',
    summary: 'Adds the team to a project. Every project has it, so nothing changes.',
    action: 'project:write',
    status: 201,
    response: restProject,
    handle: async (call) => {
      const body = await toRestProject(call.app, await demandTeam(call), projectOf(call.found))
      return { body, status: 201 }
    },
  }),
  route({
    method: 'POST',
    path: '/organizations/:org/members/:member/teams/:team',
    operationId: 'joinTeam',
    summary: 'Adds a member to the team. Every member is in it, so nothing changes.',
    action: 'member:write',
    status: 201,
    response: restTeam,
    handle: async (call) => {
      const organization = await demandTeam(call)
      if (!(await membersOf(call.app, organization)).some((member) => member.id === call.params.member))
        throw new MishapError('NOT_FOUND')
      return { body: await toRestTeam(call.app, call.actor, organization, false), status: 201 }
    },
  }),
  ...refusals,
]
