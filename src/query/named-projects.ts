import type { Project } from '../store/meta/meta.ts'
import type { MetaStore } from '../store/meta/meta-store.ts'

/**
 * The projects that are named by id, slug or a slug of before, among those that somebody may read, each once. Undefined
 * when a name leads to none of them: to leave it out would ask for more than was asked for.
 */
export function namedProjects(
  meta: Pick<MetaStore, 'projectByOldSlug'>,
  organizationId: number,
  readable: readonly Project[],
  names: readonly string[],
): Project[] | undefined {
  const found = names.map((name) => {
    const project = readable.find((item) => String(item.id) === name || item.slug === name)
    if (project) return project
    const id = meta.projectByOldSlug(organizationId, name)?.id
    return readable.find((item) => item.id === id)
  })
  const there = found.filter((item): item is Project => item !== undefined)
  return there.length === found.length ? [...new Set(there)] : undefined
}
