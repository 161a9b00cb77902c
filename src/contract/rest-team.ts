import type { RestMember, RestOrganization, RestProjectSettings } from './rest.ts'

/** Shapes of teams under /api/0/. There is one for each organization; it has everyone and every project. */
export type RestTeam = {
  id: string
  slug: string
  name: string
  dateCreated: string
  isMember: boolean
  /** Nobody has a role in the team beside the one in the organization. */
  teamRole: 'contributor' | null
  flags: { 'idp:provisioned': false }
  access: string[]
  hasAccess: boolean
  isPending: false
  memberCount: number
  avatar: { avatarType: 'letter_avatar'; avatarUuid: null }
  externalTeams: never[]
  /** Left out by `detailed=0`. */
  projects?: RestProjectSettings[]
  /** In one team only. */
  organization?: RestOrganization
}

export type RestTeamMember = RestMember & { teamSlug: string; teamRole: 'contributor' }
