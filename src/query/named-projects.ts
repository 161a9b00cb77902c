import type { Project } from '../store/meta/meta.ts'
import type { MetaWith } from '../store/meta/meta-store.ts'

/**
 * Returns the readable projects with these ids, slugs or former slugs, without duplicates. Undefined if a name matches
 * none of them: dropping the name would widen the request.
 */
export async function namedProjects(
  meta: MetaWith<'projects.projectByOldSlug'>,
  organizationId: number,
  readable: readonly Project[],
  names: readonly string[],
): Promise<Project[] | undefined> {
  const found = await Array.fromAsync(names, async (name) => {
    const project = readable.find((candidate) => String(candidate.id) === name || candidate.slug === name)
    if (project) return project
    const id = (await meta.projects.projectByOldSlug(organizationId, name))?.id
    return readable.find((candidate) => candidate.id === id)
  })
  const there = found.filter((match): match is Project => match !== undefined)
  return there.length === found.length ? [...new Set(there)] : undefined
}
