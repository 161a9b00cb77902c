import type { Project, ProjectKey } from '../store/meta/meta.ts'
import type { MetaStore } from '../store/meta/meta-store.ts'
import { type AddsProjects, ensureProject } from './projects.ts'

/** Slug of the project that receives Mishap's own errors. */
const selfSlug = 'mishap'
/** Key of the meta value with that project's id. The id is stored because people can rename the project. */
const selfValue = 'self_project'

type FindsSelf = Pick<MetaStore, 'getValue' | 'projectBySlug' | 'projectByOldSlug' | 'projectById'>

/** The project for the errors of Mishap's own screens, also after a rename. Undefined before the first run. */
export function selfProject(meta: FindsSelf, organizationId: number): Project | undefined {
  const storedId = meta.getValue(selfValue)
  // Data folders of early versions have no such value. They used only the slug, which people can have changed since.
  const project =
    storedId === undefined
      ? (meta.projectBySlug(organizationId, selfSlug) ?? meta.projectByOldSlug(organizationId, selfSlug))
      : meta.projectById(Number(storedId))
  return project?.organizationId === organizationId ? project : undefined
}

/** Finds or creates the project for the errors of Mishap's own screens in an organization, with an active key. */
export function ensureSelfProject(
  meta: FindsSelf & AddsProjects & Pick<MetaStore, 'keysOf' | 'setValue'>,
  organizationId: number,
): { project: Project; key: ProjectKey } {
  const existing = selfProject(meta, organizationId)
  const value = { organizationId, slug: selfSlug, name: 'Mishap', platform: 'javascript-nextjs' }
  const { project, key } = ensureProject(meta, existing, value)
  meta.setValue(selfValue, String(project.id))
  return { project, key }
}
