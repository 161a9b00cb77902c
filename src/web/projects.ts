import type { Project } from '../store/meta/meta.ts'
import { slugOf } from '../store/meta/names.ts'
import { failureOf } from './form.ts'
import { app } from './handle.ts'

/** Runs `make` with a slug made from `name`, with -2, -3 and so on while it is taken. Throws what `make` throws otherwise. */
export function withFreeSlug<Made>(name: string, fallback: string, make: (slug: string) => Made): Made {
  const base = slugOf(name, fallback)
  for (let count = 1; ; count += 1) {
    try {
      return make(count === 1 ? base : `${base.slice(0, 46)}-${count}`)
    } catch (error) {
      if (failureOf(error)?.code !== 'CONFLICT' || count >= 99) throw error
    }
  }
}

/** Makes a project with its first key and tells accept of it; throws VALIDATION for a name that is not allowed. */
export async function createProjectHere(organizationId: number, name: string, platform: string): Promise<Project> {
  const { meta, publishKeys } = app()
  const project = withFreeSlug(name, 'project', (slug) =>
    meta.createProject({ organizationId, slug, name, platform: platform === 'other' ? null : platform }),
  )
  meta.createKey(project.id, 'Default')
  await publishKeys()
  return project
}
