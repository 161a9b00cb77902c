import { freeSlug } from '../../store/meta/database/names.ts'
import type { Project } from '../../store/meta/meta.ts'
import { app } from '../handle.ts'

/** Makes a project with its first key and tells accept of it; throws VALIDATION for a name that is not allowed. */
export async function createProjectHere(organizationId: number, name: string, platform: string): Promise<Project> {
  const { meta, publishKeys } = app()
  const project = meta.createProject({
    organizationId,
    slug: freeSlug(name, 'project', (slug) => meta.projectBySlug(organizationId, slug) !== undefined),
    name,
    platform: platform === 'other' ? null : platform,
  })
  meta.createKey(project.id, 'Default')
  await publishKeys()
  return project
}
