import type { Actor } from '../auth/auth.ts'
import { sealedToken } from '../auth/scrape-token.ts'
import type { Seal } from '../auth/seal.ts'
import { freeSlug } from '../store/meta/database/names.ts'
import type { Project, ProjectChange, ProjectKey } from '../store/meta/meta.ts'
import type { MetaStore } from '../store/meta/meta-store.ts'
import type { PublishesKeys } from './keys.ts'

/** A project to make. Without a slug it gets a free one that is made of its name. */
type NewProject = { organizationId: number; name: string; platform: string | null; slug?: string | undefined }

/** Part of the meta store that makes projects. */
export type AddsProjects = Pick<MetaStore, 'createProject' | 'projectBySlug' | 'createKey'>

/**
 * Stores a project with its first key: without a key nothing can be sent to it. Ingest does not know the key yet, see
 * `createProject`. Throws VALIDATION (name, slug), CONFLICT for a slug that is taken.
 */
function addProject(
  meta: AddsProjects,
  { organizationId, name, platform, slug }: NewProject,
): { project: Project; key: ProjectKey } {
  const isTaken = (text: string) => meta.projectBySlug(organizationId, text) !== undefined
  const project = meta.createProject({
    organizationId,
    slug: slug ?? freeSlug(name, 'project', isTaken),
    name,
    platform,
  })
  return { project, key: meta.createKey(project.id, 'Default') }
}

/** The first active key of a project, or a new key. */
export function ensureKey(meta: Pick<MetaStore, 'keysOf' | 'createKey'>, projectId: number): ProjectKey {
  return meta.keysOf(projectId).find((key) => key.active) ?? meta.createKey(projectId, 'Default')
}

/** The existing project, or a new project, with an active key. Throws as `addProject` does. */
export function ensureProject(
  meta: AddsProjects & Pick<MetaStore, 'keysOf'>,
  known: Project | undefined,
  value: NewProject,
): { project: Project; key: ProjectKey } {
  return known ? { project: known, key: ensureKey(meta, known.id) } : addProject(meta, value)
}

/** Makes a project that events can be sent to when this resolves. Throws as `addProject` does. */
export async function createProject(
  { meta, publishKeys }: PublishesKeys & { meta: AddsProjects },
  value: NewProject,
): Promise<Project> {
  const { project } = addProject(meta, value)
  await publishKeys()
  return project
}

/**
 * Changes settings of a project. `scrapeToken` is the plain token for fetching scripts: '' for none, absent to keep it.
 * Throws VALIDATION with the store's field names (and `scrapeToken`), CONFLICT for another revision or a taken slug.
 */
export async function updateProject(
  { meta, seal, publishKeys }: PublishesKeys & { meta: Pick<MetaStore, 'updateProject'>; seal: Pick<Seal, 'seal'> },
  actor: Actor,
  projectId: number,
  change: ProjectChange,
  { rev, scrapeToken }: { rev: number | undefined; scrapeToken: string | undefined },
): Promise<Project> {
  const by = { userId: actor.person.id, rev }
  const sealed = sealedToken(seal, scrapeToken, 'scrapeToken')
  const project = meta.updateProject(projectId, Object.assign({}, change, sealed), by)
  // Ingest checks the allowed origins, which are in the snapshot of the keys.
  await publishKeys()
  return project
}
