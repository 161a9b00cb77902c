import type { MetaStore, Project, ProjectKey } from '../store/meta/meta.ts'
import { type AddsProjects, ensureProject } from './projects.ts'

/** Name and slug of the project that Mishap reports its own errors to. */
const selfSlug = 'mishap'
/** Name of meta's value that holds that project's id: people may rename it. */
const selfValue = 'self_project'

type FindsSelf = Pick<MetaStore, 'getValue' | 'projectBySlug' | 'projectByOldSlug' | 'projectById'>

/** The project that Mishap's own screens report to, whatever it is called by now; undefined before the first run. */
export function selfProject(meta: FindsSelf, organizationId: number): Project | undefined {
  const kept = meta.getValue(selfValue)
  // A data folder of an early version has no such value. It went by the slug alone, which people may have changed since.
  const project =
    kept === undefined
      ? (meta.projectBySlug(organizationId, selfSlug) ?? meta.projectByOldSlug(organizationId, selfSlug))
      : meta.projectById(Number(kept))
  return project?.organizationId === organizationId ? project : undefined
}

/** Makes or finds the project that Mishap's own screens report to, in the given organization, with an active key. */
export function ensureSelfProject(
  meta: FindsSelf & AddsProjects & Pick<MetaStore, 'keysOf' | 'setValue'>,
  organizationId: number,
): { project: Project; key: ProjectKey } {
  const known = selfProject(meta, organizationId)
  const value = { organizationId, slug: selfSlug, name: 'Mishap', platform: 'javascript-nextjs' }
  const { project, key } = ensureProject(meta, known, value)
  meta.setValue(selfValue, String(project.id))
  return { project, key }
}
