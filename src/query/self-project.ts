import type { Project } from '../store/meta/meta.ts'
import type { MetaWith } from '../store/meta/meta-store.ts'

/** Slug of the project that receives Mishap's own errors. */
export const selfSlug = 'mishap'
/** Key of the meta value with that project's id. The id is stored because people can rename the project. */
export const selfValue = 'self_project'

export type FindsSelf = MetaWith<
  'values.getValue' | 'projects.projectBySlug' | 'projects.projectByOldSlug' | 'projects.projectById'
>

/** The project for the errors of Mishap's own screens, also after a rename. Undefined before the first run. */
export async function selfProject(meta: FindsSelf, organizationId: number): Promise<Project | undefined> {
  const storedId = await meta.values.getValue(selfValue)
  // Data folders of early versions have no such value. They used only the slug, which people can have changed since.
  const project =
    storedId === undefined
      ? ((await meta.projects.projectBySlug(organizationId, selfSlug)) ??
        (await meta.projects.projectByOldSlug(organizationId, selfSlug)))
      : await meta.projects.projectById(Number(storedId))
  return project?.organizationId === organizationId ? project : undefined
}

/**
 * Of the projects that a person may read, those that a screen or request without a project means: all but Mishap's own.
 * Its telemetry is not the team's data. It is among them if the person has no other.
 */
export async function defaultProjects(
  meta: FindsSelf,
  organizationId: number,
  readable: readonly Project[],
): Promise<Project[]> {
  const selfId = (await selfProject(meta, organizationId))?.id
  const others = readable.filter((project) => project.id !== selfId)
  return others.length > 0 ? others : [...readable]
}
