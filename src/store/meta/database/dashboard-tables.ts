import type { Generated } from 'kysely'

/** The tables of dashboards for Kysely. `content`: JSON as text. `shared`: 0 or 1. */
export type DashboardTables = {
  dashboard: {
    id: Generated<number>
    organization_id: number
    user_id: string
    title: string
    shared: number
    content: string
    created_ms: number
    rev: Generated<number>
    changed_ms: Generated<number | null>
    changed_by: Generated<string | null>
  }
  dashboard_revision: {
    dashboard_id: number
    rev: number
    title: string
    content: string
    user_id: string | null
    at_ms: number
  }
  dashboard_favourite: { organization_id: number; user_id: string; dashboard: string }
}
