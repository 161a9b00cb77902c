import { type FindsSelf, selfProject, selfSlug, selfValue } from '../query/self-project.ts'
import type { Project, ProjectKey } from '../store/meta/meta.ts'
import type { MetaStore } from '../store/meta/meta-store.ts'
import { type AddsProjects, ensureProject } from './projects.ts'

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
