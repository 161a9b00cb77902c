import type { Generated } from 'kysely'

/** The tables of alert rules and workflows for Kysely. `definition`, `value`, `memory` and `content` are JSON as text. */
export type AlertTables = {
  alert_rule: {
    id: Generated<number>
    organization_id: number
    kind: string
    name: string
    /** 0 or 1. */
    active: number
    muted_until_ms: number | null
    definition: string
    created_ms: number
    created_by: string
    rev: Generated<number>
    changed_ms: Generated<number | null>
    changed_by: Generated<string | null>
    workflow_id: Generated<number | null>
  }
  workflow: {
    id: Generated<number>
    organization_id: number
    name: string
    definition: string
    created_ms: number
    created_by: string
    rev: Generated<number>
    changed_ms: Generated<number | null>
    changed_by: Generated<string | null>
  }
  deleted_alert_rule: {
    id: number
    organization_id: number
    content: string
    deleted_ms: number
  }
  alert_rule_state: {
    rule_id: number
    status: string
    reason: string
    since_ms: number | null
    evaluated_ms: number | null
    value: string | null
    memory: string
  }
  alert_firing: {
    id: Generated<number>
    organization_id: number
    rule_id: number | null
    firing_key: string
    at_ms: number
    content: string
    decided_ms: number | null
  }
  issue_trigger: {
    id: Generated<number>
    organization_id: number
    project_id: number
    issue_id: number | null
    kind: string
    event_id: string
    environment: string
    release_version: string
    at_ms: number
    until_ms: number
  }
}
