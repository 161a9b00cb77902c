import type { Actor } from '../auth/auth.ts'
import { sealedToken } from '../auth/scrape-token.ts'
import type { Seal } from '../auth/seal.ts'
import { freeSlug } from '../store/meta/database/names.ts'
import type { Project, ProjectChange, ProjectKey } from '../store/meta/meta.ts'
import type { MetaWith } from '../store/meta/meta-store.ts'
import type { PublishesKeys } from './keys.ts'

/** A project to create. Without a slug, it gets a free one derived from its name. */
type NewProject = { organizationId: number; name: string; platform: string | null; slug?: string | undefined }

/** Methods of the meta store that create projects. */
export type AddsProjects = MetaWith<'projects.createProject' | 'projects.projectBySlug' | 'projects.createKey'>

/**
 * Stores a project with its first key, because events need a key. Ingest does not know the key yet, see
 * `createProject`. Throws VALIDATION (name, slug), CONFLICT for a slug that is taken.
 */
async function addProject(
  meta: AddsProjects,
  { organizationId, name, platform, slug }: NewProject,
): Promise<{ project: Project; key: ProjectKey }> {
  const isUsed = async (text: string) => (await meta.projects.projectBySlug(organizationId, text)) !== undefined
  const project = await meta.projects.createProject({
    organizationId,
    slug: slug ?? (await freeSlug(name, 'project', isUsed)),
    name,
    platform,
  })
  return { project, key: await meta.projects.createKey(project.id, 'Default') }
}

/** Returns the first active key of a project, or creates a key. */
export async function ensureKey(
  meta: MetaWith<'projects.keysOf' | 'projects.createKey'>,
  projectId: number,
): Promise<ProjectKey> {
  return (
    (await meta.projects.keysOf(projectId)).find((key) => key.active) ??
    (await meta.projects.createKey(projectId, 'Default'))
  )
}

/** Returns the existing project or creates a project, with an active key. Throws like `addProject`. */
export async function ensureProject(
  meta: AddsProjects & MetaWith<'projects.keysOf'>,
  existing: Project | undefined,
  value: NewProject,
): Promise<{ project: Project; key: ProjectKey }> {
  return existing ? { project: existing, key: await ensureKey(meta, existing.id) } : await addProject(meta, value)
}

/** Creates a project that can receive events when this resolves. Throws like `addProject`. */
export async function createProject(
  { meta, publishKeys }: PublishesKeys & { meta: AddsProjects },
  value: NewProject,
): Promise<Project> {
  const { project } = await addProject(meta, value)
  await publishKeys()
  return project
}

/**
 * Changes settings of a project. `scrapeToken` is the plain token for fetching scripts: '' for none, absent to keep it.
 * Throws VALIDATION with the store's field names (and `scrapeToken`), CONFLICT for another revision or a taken slug.
 */
export async function updateProject(
  { meta, seal, publishKeys }: PublishesKeys & { meta: MetaWith<'projects.updateProject'>; seal: Pick<Seal, 'seal'> },
  actor: Actor,
  projectId: number,
  change: ProjectChange,
  { rev, scrapeToken }: { rev: number | undefined; scrapeToken: string | undefined },
): Promise<Project> {
  const by = { userId: actor.person.id, rev }
  const sealed = sealedToken(seal, scrapeToken, 'scrapeToken')
  const project = await meta.projects.updateProject(projectId, Object.assign({}, change, sealed), by)
  // Ingest checks the allowed origins, which are in the snapshot of the keys.
  await publishKeys()
  return project
}
