import { MishapError } from '../../../base/errors.ts'
import { insertedId, type Store } from '../database/store.ts'

/**
 * Where the files of a project's frames are in a repository: a path that begins with `stackRoot` is at `sourceRoot` and
 * the rest of the path.
 */
export type CodeMapping = {
  id: number
  projectId: number
  repositoryId: number
  repository: string
  /** Address of the repository; '' for none. */
  repositoryUrl: string
  integrationId: number | null
  stackRoot: string
  sourceRoot: string
  /** The branch of links while the commit of a release is unknown. */
  defaultBranch: string
  createdMs: number
}

type Values = Pick<CodeMapping, 'projectId' | 'repositoryId' | 'stackRoot' | 'sourceRoot' | 'defaultBranch'>

/** Mappings of one organization: monorepos upload some hundred. */
const mappingsMax = 2_000

export type CodeMappingStore = {
  /** Creates the mapping of a project and stack root, or changes it. Throws VALIDATION at 2,000 mappings. */
  putCodeMapping(organizationId: number, value: Values): Promise<{ mapping: CodeMapping; isNew: boolean }>
  /** Changes a mapping. Throws NOT_FOUND, CONFLICT if another mapping has the project and stack root. */
  updateCodeMapping(organizationId: number, id: number, value: Values): Promise<CodeMapping>
  deleteCodeMapping(organizationId: number, id: number): Promise<boolean>
  codeMappingsOf(organizationId: number): Promise<CodeMapping[]>
  /** The mappings of a project, the longest stack root first. */
  mappingsOfProject(projectId: number): Promise<CodeMapping[]>
}

const columnsOf = (value: Values) => ({
  project_id: value.projectId,
  repository_id: value.repositoryId,
  stack_root: value.stackRoot,
  source_root: value.sourceRoot,
  default_branch: value.defaultBranch,
})

function reader({ read, dialect: { builder } }: Store) {
  const all = () =>
    builder
      .selectFrom('code_mapping')
      .innerJoin('repository', 'repository.id', 'repository_id')
      .selectAll('code_mapping')
      .select(['repository.name as repository', 'repository.url as repository_url', 'repository.integration_id'])
  type Row = Awaited<ReturnType<typeof rowsOf>>[number]
  const rowsOf = (query: ReturnType<typeof all>) => read.all(query)
  const toMapping = (row: Row): CodeMapping => ({
    id: row.id,
    projectId: row.project_id,
    repositoryId: row.repository_id,
    repository: row.repository,
    repositoryUrl: row.repository_url,
    integrationId: row.integration_id,
    stackRoot: row.stack_root,
    sourceRoot: row.source_root,
    defaultBranch: row.default_branch,
    createdMs: row.created_ms,
  })
  return { all, list: async (query: ReturnType<typeof all>) => (await rowsOf(query)).map(toMapping) }
}

/** Implements code mappings. */
export function codeMappingPart(store: Store): CodeMappingStore {
  const { write, clock } = store
  const { builder } = store.dialect
  const { all, list } = reader(store)
  const byId = async (id: number) => {
    const [mapping] = await list(all().where('code_mapping.id', '=', id))
    if (!mapping) throw new MishapError('NOT_FOUND')
    return mapping
  }
  const sameRoot = (value: Values) =>
    write.get(
      builder
        .selectFrom('code_mapping')
        .select('id')
        .where('project_id', '=', value.projectId)
        .where('stack_root', '=', value.stackRoot),
    )
  return {
    putCodeMapping: async (organizationId, value) => {
      const { id, isNew } = await write.transaction(async () => {
        const found = await sameRoot(value)
        if (found) {
          await write.run(builder.updateTable('code_mapping').set(columnsOf(value)).where('id', '=', found.id))
          return { id: found.id, isNew: false }
        }
        const mine = builder.selectFrom('code_mapping').where('organization_id', '=', organizationId)
        const count = await write.get(mine.select((build) => build.fn.countAll().as('count')))
        if (Number(count?.count ?? 0) >= mappingsMax)
          throw new MishapError('VALIDATION', { fields: { stackRoot: [`At most ${mappingsMax} code mappings.`] } })
        const row = { organization_id: organizationId, created_ms: clock.now(), ...columnsOf(value) }
        return { id: await insertedId(write, builder.insertInto('code_mapping').values(row)), isNew: true }
      })
      return { mapping: await byId(id), isNew }
    },
    updateCodeMapping: async (organizationId, id, value) => {
      await write.transaction(async () => {
        const same = await sameRoot(value)
        if (same && same.id !== id)
          throw new MishapError('CONFLICT', { detail: 'The project already has a mapping with this stack root.' })
        const mine = builder.updateTable('code_mapping').set(columnsOf(value)).where('id', '=', id)
        if ((await write.run(mine.where('organization_id', '=', organizationId))).changes === 0)
          throw new MishapError('NOT_FOUND')
      })
      return byId(id)
    },
    deleteCodeMapping: async (organizationId, id) => {
      const mine = builder.deleteFrom('code_mapping').where('organization_id', '=', organizationId)
      return (await write.run(mine.where('id', '=', id))).changes > 0
    },
    codeMappingsOf: (organizationId) =>
      list(all().where('code_mapping.organization_id', '=', organizationId).orderBy('code_mapping.id')),
    mappingsOfProject: async (projectId) =>
      (await list(all().where('project_id', '=', projectId))).sort((a, b) => b.stackRoot.length - a.stackRoot.length),
  }
}
