import type { ColumnType, Generated } from 'kysely'

type Counted = ColumnType<number, number | undefined, number>
type Text = ColumnType<string, string | undefined, string>

/** Tables of Explore: saved questions and exports. */
export type ExploreTables = {
  saved_query: {
    id: Generated<number>
    organization_id: number
    user_id: string
    name: string
    shared: number
    /** JSON. */
    plan: string
    /** JSON. */
    projects: string
    /** JSON. */
    environments: string
    span: string
    created_ms: number
    updated_ms: number
    rev: Counted
  }
  export: {
    id: Generated<number>
    organization_id: number
    user_id: string
    /** JSON. */
    request: string
    format: string
    state: string
    rows_done: Counted
    rows_total: number | null
    bytes: Counted
    blob_key: Text
    error: Text
    created_ms: number
    ended_ms: number | null
  }
}
