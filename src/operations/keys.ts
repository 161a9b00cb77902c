import type { Actor } from '../auth/auth.ts'
import type { KeyChange, MetaStore, ProjectKey } from '../store/meta/meta.ts'

/** Hands the changed keys to ingest; resolves when it uses them. */
export type PublishesKeys = { publishKeys(): Promise<void> }

/** Makes one more key of a project. Throws VALIDATION (label, rateLimit). */
export async function createKey(
  { meta, publishKeys }: PublishesKeys & { meta: Pick<MetaStore, 'createKey' | 'updateKey'> },
  projectId: number,
  change: KeyChange,
): Promise<ProjectKey> {
  const { id } = meta.createKey(projectId, change.label ?? 'Default')
  // Writes nothing where the label is all that is said.
  const key = meta.updateKey(id, change)
  await publishKeys()
  return key
}

/** Renames, enables, disables or limits a key. Throws VALIDATION (label, rateLimit), NOT_FOUND, CONFLICT for another revision. */
export async function updateKey(
  { meta, publishKeys }: PublishesKeys & { meta: Pick<MetaStore, 'updateKey'> },
  actor: Actor,
  keyId: number,
  change: KeyChange,
  rev?: number,
): Promise<ProjectKey> {
  const key = meta.updateKey(keyId, change, { userId: actor.person.id, rev })
  await publishKeys()
  return key
}

/** Deletes a key: ingest refuses what is sent with it when this resolves. */
export async function deleteKey(
  { meta, publishKeys }: PublishesKeys & { meta: Pick<MetaStore, 'deleteKey'> },
  keyId: number,
): Promise<void> {
  meta.deleteKey(keyId)
  await publishKeys()
}
