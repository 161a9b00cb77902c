import { MishapError } from '../base/errors.ts'
import type { Project } from '../store/meta/meta.ts'
import type { MetaWith } from '../store/meta/meta-store.ts'
import type { CodeMapping } from '../store/meta/trackers/code-mappings.ts'

type Values = Pick<CodeMapping, 'stackRoot' | 'sourceRoot' | 'defaultBranch'>

/** Whether a part of a path leaves the repository. */
export const leavesRepository = (path: string): boolean => path.split(/[/\\]/).includes('..')

function demandPath(field: string, text: string): void {
  if (leavesRepository(text)) throw new MishapError('VALIDATION', { fields: { [field]: ['A path without "..".'] } })
}

function checked(values: Values): Values {
  demandPath('sourceRoot', values.sourceRoot)
  return { ...values, defaultBranch: values.defaultBranch || 'main' }
}

type RepositoryDeps = { meta: MetaWith<'releases.repositoryById'> }

async function demandRepository({ meta }: RepositoryDeps, organizationId: number, id: number): Promise<void> {
  if (!(await meta.releases.repositoryById(organizationId, id)))
    throw new MishapError('VALIDATION', { fields: { repositoryId: ['There is no such repository.'] } })
}

/** Creates a mapping, or changes the one of the project and stack root. Throws VALIDATION. */
export async function putCodeMapping(
  deps: RepositoryDeps & { meta: MetaWith<'trackers.putCodeMapping'> },
  project: Project,
  repositoryId: number,
  values: Values,
): Promise<{ mapping: CodeMapping; isNew: boolean }> {
  await demandRepository(deps, project.organizationId, repositoryId)
  const value = { ...checked(values), projectId: project.id, repositoryId }
  return deps.meta.trackers.putCodeMapping(project.organizationId, value)
}

/** Changes a mapping. Throws VALIDATION, NOT_FOUND, CONFLICT. */
export async function updateCodeMapping(
  deps: RepositoryDeps & { meta: MetaWith<'trackers.updateCodeMapping'> },
  id: number,
  project: Project,
  repositoryId: number,
  values: Values,
): Promise<CodeMapping> {
  await demandRepository(deps, project.organizationId, repositoryId)
  const value = { ...checked(values), projectId: project.id, repositoryId }
  return deps.meta.trackers.updateCodeMapping(project.organizationId, id, value)
}

/** Deletes a mapping. Throws NOT_FOUND. */
export async function deleteCodeMapping(
  { meta }: { meta: MetaWith<'trackers.deleteCodeMapping'> },
  organizationId: number,
  id: number,
): Promise<void> {
  if (!(await meta.trackers.deleteCodeMapping(organizationId, id))) throw new MishapError('NOT_FOUND')
}

type NamingDeps = { meta: MetaWith<'releases.repositoriesOf' | 'releases.putRepository'>; clock: { now(): number } }

/**
 * Reads the repositories of an organization. Returns a function for the id of one that an earlier upload or a webhook named, or
 * of a new one.
 */
async function repositoryIds(
  { meta, clock }: NamingDeps,
  organizationId: number,
): Promise<(name: string) => Promise<number>> {
  const all = await meta.releases.repositoriesOf({ organizationId, listed: false, offset: 0, max: 10_000 })
  const ids = new Map(all.toReversed().map((repository) => [repository.name, repository.id]))
  return async (name) => {
    const id = ids.get(name) ?? (await meta.releases.putRepository({ organizationId, name, url: '' }, clock.now())).id
    ids.set(name, id)
    return id
  }
}

/**
 * Makes the mappings of a project those of a list, one for each stack root. Creates repositories that nothing named yet.
 * Throws VALIDATION.
 */
export async function setCodeMappings(
  deps: RepositoryDeps &
    NamingDeps & {
      meta: MetaWith<'trackers.putCodeMapping' | 'trackers.deleteCodeMapping' | 'trackers.mappingsOfProject'>
    },
  project: Project,
  list: readonly (Values & { repository: string })[],
): Promise<void> {
  const { organizationId } = project
  const roots = new Set(list.map(({ stackRoot }) => stackRoot))
  for (const { id, stackRoot } of await deps.meta.trackers.mappingsOfProject(project.id))
    if (!roots.has(stackRoot)) await deleteCodeMapping(deps, organizationId, id)
  const idOf = await repositoryIds(deps, organizationId)
  for (const { repository, ...values } of list) await putCodeMapping(deps, project, await idOf(repository), values)
}

type Uploaded = Values & { status: 'created' | 'updated' | 'error'; detail?: string }

/** Creates and changes the mappings of an upload for a repository that an earlier upload or a webhook named, or creates it. */
export async function uploadCodeMappings(
  deps: RepositoryDeps & NamingDeps & { meta: MetaWith<'trackers.putCodeMapping'> },
  project: Project,
  repository: string,
  list: readonly Values[],
): Promise<Uploaded[]> {
  const id = await (await repositoryIds(deps, project.organizationId))(repository)
  return await Array.fromAsync(list, async (values): Promise<Uploaded> => {
    try {
      const { isNew } = await putCodeMapping(deps, project, id, values)
      return { ...values, status: isNew ? 'created' : 'updated' }
    } catch (error) {
      if (!(error instanceof MishapError) || error.code !== 'VALIDATION') throw error
      const detail = Object.values(error.fields ?? {})[0]?.[0] ?? error.message
      return { ...values, status: 'error', detail }
    }
  })
}
