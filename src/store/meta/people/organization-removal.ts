import { MishapError } from '../../../base/errors.ts'
import { insertedId, type Store } from '../database/store.ts'
import { bumpKeysVersion } from '../projects/projects.ts'
import { type Removal, removalPart, toRemoval } from '../retention/removals.ts'

export type OrganizationRemovalStore = {
  /**
   * Stores the removal of an organization and of each of its projects, whose keys stop working at once. Returns an open
   * removal unchanged. Members keep the organization until its projects are gone. Throws NOT_FOUND.
   */
  requestOrganizationRemoval(value: { organizationId: number; userId: string | null }): Promise<Removal>
  /** Stores removals of projects that have none yet. Returns the number of projects that are left. */
  requestProjectRemovals(organizationId: number, userId: string | null): Promise<number>
  /**
   * Deletes an organization without projects and all rows that refer to it, in one transaction: members, invitations,
   * channels, tokens, old slugs. Its removal gets the sums of its projects. Does nothing if it has a project again.
   */
  removeOrganization(removalId: number): Promise<void>
  /** Names of tables that still have rows of the organization. */
  organizationLeft(organizationId: number): Promise<string[]>
  /** Removals of organizations that a person requested, newest first. They outlive the organization. */
  organizationRemovalsBy(userId: string, max: number): Promise<Removal[]>
}

/** All tables that refer to an organization by a foreign key. The database deletes their rows with it. */
const referring = [
  'member',
  'invitation',
  'project',
  'channel',
  'api_token',
  'short_id',
  'old_organization_slug',
  'repository',
  'release_commit',
  'release_ref',
  'deploy',
  'saved_search',
  'search_default',
  'saved_query',
  'export',
  'dashboard',
  'dashboard_favourite',
  'integration',
  'code_mapping',
  'incident',
  'mute',
  'on_call_schedule',
  'delivery',
  'alert_rule',
  'workflow',
  'alert_firing',
  'issue_trigger',
  'personal_settings',
  'personal_mail',
] as const

/** Returns the tables that still have rows of an organization. */
async function organizationLeft({ read, dialect: { builder } }: Store, organizationId: number): Promise<string[]> {
  const left: string[] = []
  if (await read.get(builder.selectFrom('organization').select('id').where('id', '=', organizationId)))
    left.push('organization')
  for (const table of referring) {
    const rows = builder.selectFrom(table).select('organization_id').where('organization_id', '=', organizationId)
    if (await read.get(rows)) left.push(table)
  }
  return left
}

/** Implements the deletion of organizations, based on the deletion of projects. */
export function organizationRemovalPart(store: Store): OrganizationRemovalStore {
  const { write, read, clock } = store
  const { builder } = store.dialect
  const { requestRemoval } = removalPart(store)
  const all = () => builder.selectFrom('removal').selectAll()
  const projectsOf = (organizationId: number) =>
    write.all(builder.selectFrom('project').select('id').where('organization_id', '=', organizationId).orderBy('id'))

  async function requestProjectRemovals(organizationId: number, userId: string | null): Promise<number> {
    const projects = await projectsOf(organizationId)
    for (const { id: projectId } of projects)
      await requestRemoval({ kind: 'project', projectId, issueId: null, userId })
    return projects.length
  }

  return {
    requestProjectRemovals,
    requestOrganizationRemoval: async ({ organizationId, userId }) => {
      const removal = await write.transaction(async () => {
        const found = await write.get(builder.selectFrom('organization').selectAll().where('id', '=', organizationId))
        if (!found) throw new MishapError('NOT_FOUND')
        const own = all().where('organization_id', '=', organizationId).where('kind', '=', 'organization')
        const same = await write.get(own.where('ended_ms', 'is', null))
        if (same) return toRemoval(same)
        const row = {
          organization_id: organizationId,
          project_id: 0,
          issue_id: null,
          kind: 'organization',
          title: found.name,
          user_id: userId,
          created_ms: clock.now(),
          ended_ms: null,
          stage: 'asked',
          events: 0,
          blobs: 0,
          error: '',
        }
        return toRemoval({ id: await insertedId(write, builder.insertInto('removal').values(row)), ...row })
      })
      await requestProjectRemovals(organizationId, userId)
      return removal
    },
    removeOrganization: (removalId) =>
      write.transaction(async () => {
        const removal = await write.get(all().where('id', '=', removalId))
        if (removal?.stage !== 'asked' || (await projectsOf(removal.organization_id)).length > 0) return
        const organizationId = removal.organization_id
        const parts = await write.all(all().where('organization_id', '=', organizationId).where('id', '>', removalId))
        const sum = (key: 'events' | 'blobs') =>
          parts.filter((part) => part.kind === 'project').reduce((total, part) => total + part[key], 0)
        await write.run(builder.deleteFrom('organization').where('id', '=', organizationId))
        const change = { stage: 'proof', events: sum('events'), blobs: sum('blobs') }
        await write.run(builder.updateTable('removal').set(change).where('id', '=', removalId))
        await bumpKeysVersion(store)
      }),
    organizationLeft: (organizationId) => organizationLeft(store, organizationId),
    organizationRemovalsBy: async (userId, max) =>
      (
        await read.all(
          all().where('kind', '=', 'organization').where('user_id', '=', userId).orderBy('id', 'desc').limit(max),
        )
      ).map(toRemoval),
  }
}
