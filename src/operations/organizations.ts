import type { Actor } from '../auth/auth.ts'
import type { Organization } from '../store/meta/meta.ts'
import type { MetaWith } from '../store/meta/meta-store.ts'
import type { OrganizationChange } from '../store/meta/people/organization-change.ts'

/**
 * Changes name, slug or retention of an organization. The installation's retention of errors is the upper limit. Throws
 * VALIDATION (name, slug, retentionErrorsDays), CONFLICT for another revision or a slug that is taken.
 */
export async function updateOrganization(
  { meta, config }: { meta: MetaWith<'organizations.updateOrganization'>; config: { retentionErrorsDays: number } },
  actor: Actor,
  organizationId: number,
  change: OrganizationChange,
  rev?: number,
): Promise<Organization> {
  const by = { userId: actor.person.id, rev }
  return meta.organizations.updateOrganization(organizationId, change, config.retentionErrorsDays, by)
}
