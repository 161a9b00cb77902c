import type { Actor } from '../auth/auth.ts'
import type { KeyChange, ProjectKey } from '../store/meta/meta.ts'
import type { MetaWith } from '../store/meta/meta-store.ts'

/** Publishes the changed keys to ingest. Resolves when ingest uses them. */
export type PublishesKeys = { publishKeys(): Promise<void> }

/** Creates another key of a project. Throws VALIDATION (label, rateLimit). */
export async function createKey(
  { meta, publishKeys }: PublishesKeys & { meta: MetaWith<'projects.createKey' | 'projects.updateKey'> },
  projectId: number,
  change: KeyChange,
): Promise<ProjectKey> {
  const { id } = await meta.projects.createKey(projectId, change.label ?? 'Default')
  // Writes nothing when the label is the only field.
  const key = await meta.projects.updateKey(id, change)
  await publishKeys()
  return key
}

/** Renames, enables, disables or limits a key. Throws VALIDATION (label, rateLimit), NOT_FOUND, CONFLICT (revision). */
export async function updateKey(
  { meta, publishKeys }: PublishesKeys & { meta: MetaWith<'projects.updateKey'> },
  actor: Actor,
  keyId: number,
  change: KeyChange,
  rev?: number,
): Promise<ProjectKey> {
  const key = await meta.projects.updateKey(keyId, change, { userId: actor.person.id, rev })
  await publishKeys()
  return key
}

/** Deletes a key. Ingest refuses requests with it when this resolves. */
export async function deleteKey(
  { meta, publishKeys }: PublishesKeys & { meta: MetaWith<'projects.deleteKey'> },
  keyId: number,
): Promise<void> {
  await meta.projects.deleteKey(keyId)
  await publishKeys()
}
