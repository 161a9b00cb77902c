import type { ColumnType, Generated } from 'kysely'

type Defaulted<T> = ColumnType<T, T | undefined, T>

/** Incidents, mutes and on-call schedules for Kysely. */
export type IncidentTables = {
  /** `project_ids`, `notified` and `escalation` are JSON. */
  incident: {
    id: Generated<number>
    organization_id: number
    title: string
    state: string
    level: string
    peak: string
    started_ms: number
    changed_ms: number
    ended_ms: number | null
    acknowledged_by: string | null
    acknowledged_ms: number | null
    snoozed_until_ms: number | null
    impact: number
    /** 0 or 1. */
    burst: number
    release: string
    deploy_id: number | null
    project_ids: string
    notified: string
    escalation: string | null
  }
  incident_member: {
    incident_id: number
    /** 0: the built-in notifications. */
    rule_id: number
    /** 0: the rule watches a metric. */
    issue_id: number
    /** '': the rule has no groups. */
    group_key: string
    level: string
    opened_ms: number
    ended_ms: number | null
    /** JSON: value, threshold and sentence. The copies of databases know no fractions. */
    measure: string
  }
  incident_activity: {
    id: Generated<number>
    incident_id: number
    at_ms: number
    kind: string
    user_id: string | null
    /** JSON. */
    data: string
  }
  mute: {
    id: Generated<number>
    organization_id: number
    kind: string
    /** Id of the rule, issue or project; 0: the whole organization. */
    target_id: number
    name: string
    from_ms: number
    to_ms: number | null
    user_id: string | null
    created_ms: number
  }
  on_call_schedule: {
    id: Generated<number>
    organization_id: number
    name: string
    time_zone: string
    /** 1: Monday, 7: Sunday. */
    hand_over_day: number
    hand_over_time: string
    start_date: string
    /** JSON. */
    members: string
    created_ms: number
    rev: Defaulted<number>
    changed_ms: Defaulted<number | null>
    changed_by: Defaulted<string | null>
  }
  on_call_override: {
    id: Generated<number>
    schedule_id: number
    user_id: string
    from_ms: number
    to_ms: number
    created_by: string | null
    created_ms: number
  }
}
