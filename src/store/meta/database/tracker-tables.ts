import type { Generated } from 'kysely'

/** The tables of issue trackers and code mappings for Kysely. `pushed`: JSON as text. */
export type TrackerTables = {
  integration: {
    id: Generated<number>
    organization_id: number
    kind: string
    name: string
    url: string
    target: string
    email: string
    account: string
    account_id: string
    sealed_token: string
    sealed_secret: string
    sync_state: number
    sync_comments: number
    connected_by: string | null
    created_ms: number
    connected_ms: number
    refused_ms: number | null
    last_error: Generated<string>
  }
  external_issue: {
    id: Generated<number>
    integration_id: number
    issue_id: number
    origin: string
    external_key: string
    external_id: string
    title: string
    url: string
    state: string
    issue_state: string
    created_by: string | null
    created_ms: number
    comment_after: number
    pushed: Generated<string>
    attempts: Generated<number>
    next_ms: Generated<number>
    error: Generated<string>
  }
  tracker_delivery: { integration_id: number; delivery: string; at_ms: number }
  tracker_outcome: { integration_id: number; day: string; outcome: string; quantity: number }
  code_mapping: {
    id: Generated<number>
    organization_id: number
    project_id: number
    repository_id: number
    stack_root: string
    source_root: string
    default_branch: string
    created_ms: number
  }
}
