import { MishapError } from '../../../base/errors.ts'
import { checkName, checkSlug } from '../database/names.ts'
import { staleError } from '../database/revision.ts'
import type { Store } from '../database/store.ts'
import { pruneErrorLinks } from '../issues/error-links.ts'
import type { ChangedBy, Organization } from '../meta.ts'
import { unusedBlobs } from '../retention/unused-blobs.ts'

/** The settings of an organization. null: use the setting of the installation. */
type OrganizationSettings = { retentionErrorsDays: number | null; rev: number }
export type OrganizationChange = { name?: string; slug?: string; retentionErrorsDays?: number | null }

export type OrganizationStore = {
  /** The organization that had this slug in the past and has another one now. */
  organizationByOldSlug(slug: string): Promise<Organization | undefined>
  /** Throws NOT_FOUND. */
  organizationSettings(id: number): Promise<OrganizationSettings>
  /**
   * Changes name, slug or retention (1 to `daysMax` days). The old slug redirects until another organization takes it.
   * Throws VALIDATION with fields, CONFLICT for a slug that is taken and for an older revision.
   */
  updateOrganization(id: number, change: OrganizationChange, daysMax: number, by?: ChangedBy): Promise<Organization>
  /** Organizations with their own retention of errors, with their projects. */
  shorterRetentions(): Promise<{ organizationId: number; days: number; projectIds: number[] }[]>
  /** Deletes meta rows received before `beforeMs` and stores that time. Returns the blob keys to delete. */
  dropExpired(organizationId: number, projectIds: number[], beforeMs: number): Promise<string[]>
  /** By project: events received before this time were deleted by the organization's own retention. */
  retainedSince(): Promise<Map<number, number>>
}

/** Maximum projects per statement. */
const chunk = 500

/** Returns the days if they are valid; null: use the setting of the installation. Throws VALIDATION. */
function checkDays(days: number | null, daysMax: number): number | null {
  if (days === null || (Number.isInteger(days) && days >= 1 && days <= daysMax)) return days
  const sentence = `Use 1 to ${daysMax} whole days, or leave it empty.`
  throw new MishapError('VALIDATION', { detail: sentence, fields: { retentionErrorsDays: [sentence] } })
}

/** Implements changes of an organization by people. */
export function organizationChangePart(
  store: Store,
): Pick<OrganizationStore, 'organizationByOldSlug' | 'organizationSettings' | 'updateOrganization'> {
  const { write, read, clock } = store
  const { builder } = store.dialect
  const item = (id: number) => builder.selectFrom('organization').selectAll().where('id', '=', id)
  const deleteOldSlug = async (slug: string) => {
    await write.run(builder.deleteFrom('old_organization_slug').where('slug', '=', slug))
  }

  async function move(id: number, from: string, to: string): Promise<void> {
    if (await write.get(builder.selectFrom('organization').select('id').where('slug', '=', to))) {
      const sentence = 'Another organization has this slug.'
      throw new MishapError('CONFLICT', { detail: sentence, fields: { slug: [sentence] } })
    }
    await deleteOldSlug(to)
    await deleteOldSlug(from)
    await write.run(builder.insertInto('old_organization_slug').values({ slug: from, organization_id: id }))
  }

  return {
    organizationByOldSlug: async (slug) => {
      const row = await read.get(
        builder
          .selectFrom('old_organization_slug')
          .innerJoin('organization', 'organization.id', 'old_organization_slug.organization_id')
          .selectAll('organization')
          .where('old_organization_slug.slug', '=', slug),
      )
      return row && { id: row.id, slug: row.slug, name: row.name, createdMs: row.created_ms }
    },
    organizationSettings: async (id) => {
      const row = await read.get(item(id))
      if (!row) throw new MishapError('NOT_FOUND')
      return { retentionErrorsDays: row.retention_errors_days, rev: row.rev }
    },
    updateOrganization: (id, change, daysMax, by) =>
      write.transaction(async () => {
        const old = await write.get(item(id))
        if (!old) throw new MishapError('NOT_FOUND')
        if (by?.rev !== undefined && by.rev !== old.rev)
          throw await staleError(store, { rev: old.rev, userId: old.changed_by, atMs: old.changed_ms })
        const days = change.retentionErrorsDays
        const row = {
          name: change.name === undefined ? old.name : checkName(change.name),
          slug: change.slug === undefined ? old.slug : checkSlug(change.slug),
          retention_errors_days: days === undefined ? old.retention_errors_days : checkDays(days, daysMax),
          rev: old.rev + 1,
          changed_ms: clock.now(),
          changed_by: by?.userId ?? null,
        }
        if (row.slug !== old.slug) await move(id, old.slug, row.slug)
        await write.run(builder.updateTable('organization').set(row).where('id', '=', id))
        return { id, slug: row.slug, name: row.name, createdMs: old.created_ms }
      }),
  }
}

/** Implements retention per organization. */
export function organizationRetentionPart(
  store: Store,
): Pick<OrganizationStore, 'shorterRetentions' | 'dropExpired' | 'retainedSince'> {
  const { write, read } = store
  const { builder } = store.dialect
  const projectsOf = async (organizationId: number) =>
    (await read.all(builder.selectFrom('project').select('id').where('organization_id', '=', organizationId))).map(
      (row) => row.id,
    )
  return {
    shorterRetentions: async () =>
      await Array.fromAsync(
        await read.all(builder.selectFrom('organization').selectAll().where('retention_errors_days', 'is not', null)),
        async (row) => ({
          organizationId: row.id,
          days: row.retention_errors_days ?? 0,
          projectIds: await projectsOf(row.id),
        }),
      ),
    dropExpired: (organizationId, projectIds, beforeMs) =>
      write.transaction(async () => {
        const keys: string[] = []
        for (let start = 0; start < projectIds.length; start += chunk) {
          const ids = projectIds.slice(start, start + chunk)
          const old = builder
            .selectFrom('attachment')
            .where('project_id', 'in', ids)
            .where('received_ms', '<', beforeMs)
          keys.push(...(await write.all(old.select('blob_key').distinct())).map((row) => row.blob_key))
          for (const table of ['attachment', 'feedback'] as const)
            await write.run(
              builder.deleteFrom(table).where('project_id', 'in', ids).where('received_ms', '<', beforeMs),
            )
          await pruneErrorLinks(store, beforeMs, ids)
        }
        await write.run(
          builder
            .updateTable('organization')
            .set({ kept_since_ms: beforeMs })
            .where('id', '=', organizationId)
            .where((build) => build.or([build('kept_since_ms', 'is', null), build('kept_since_ms', '<', beforeMs)])),
        )
        return unusedBlobs(store, keys)
      }),
    retainedSince: async () =>
      new Map(
        (
          await read.all(
            builder
              .selectFrom('project')
              .innerJoin('organization', 'organization.id', 'project.organization_id')
              .select(['project.id', 'organization.kept_since_ms']),
          )
        ).flatMap((row): [number, number][] => (row.kept_since_ms === null ? [] : [[row.id, row.kept_since_ms]])),
      ),
  }
}
