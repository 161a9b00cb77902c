import { type FindsSelf, selfProject, selfSlug, selfValue } from '../query/self-project.ts'
import type { Project, ProjectKey } from '../store/meta/meta.ts'
import type { MetaWith } from '../store/meta/meta-store.ts'
import { type AddsProjects, ensureProject } from './projects.ts'

/** Finds or creates the project for the errors of Mishap's own screens in an organization, with an active key. */
export async function ensureSelfProject(
  meta: FindsSelf & AddsProjects & MetaWith<'projects.keysOf' | 'values.setValue'>,
  organizationId: number,
): Promise<{ project: Project; key: ProjectKey }> {
  const existing = await selfProject(meta, organizationId)
  const value = { organizationId, slug: selfSlug, name: 'Mishap', platform: 'javascript-nextjs' }
  const { project, key } = await ensureProject(meta, existing, value)
  await meta.values.setValue(selfValue, String(project.id))
  return { project, key }
}
