import type { ColumnType, Generated } from 'kysely'

type Defaulted<T> = ColumnType<T, T | undefined, T>

/** The tables of repositories and commits for Kysely. `listed`: 0 or 1. */
export type CommitTables = {
  repository: {
    id: Generated<number>
    organization_id: number
    name: string
    url: Defaulted<string>
    listed: Defaulted<number>
    created_ms: number
    integration_id: Defaulted<number | null>
  }
  code_commit: {
    id: Generated<number>
    repository_id: number
    sha: string
    message: string | null
    author_name: string
    author_email: string
    at_ms: number
    files: number
    files_omitted: number
    pushed_ms: Defaulted<number | null>
  }
}
