import type { ColumnType, Generated } from 'kysely'
import type { Lane } from '../../../base/lane.ts'
import type { ViewScope } from '../../../domain/view-scopes.ts'
import type { AlertTables } from './alert-tables.ts'
import type { CommitTables } from './commit-tables.ts'
import type { DashboardTables } from './dashboard-tables.ts'
import type { JobTables } from './job-tables.ts'
import type { PersonalTables } from './personal-tables.ts'
import type { TrackerTables } from './tracker-tables.ts'

/** A column with an id that the database assigns. */
type Id = Generated<number>
/** 0 or 1: the only form that both dialects share. */
type Flag = number
/** JSON as text. It is read as a whole and never queried inside. */
type JsonText = string
type Defaulted<T> = ColumnType<T, T | undefined, T>
/** The number of changes by people, the time of the last change, and its author (null: the command, or no change yet). */
type Revised = { rev: Defaulted<number>; changed_ms: Defaulted<number | null>; changed_by: Defaulted<string | null> }

/** All tables of meta for Kysely. Times are milliseconds since 1970 UTC, and their names end in `_ms`. */
export type Tables = JobTables &
  AlertTables &
  CommitTables &
  DashboardTables &
  PersonalTables &
  TrackerTables & {
    version: { number: number; applied_ms: number }
    value: { name: string; text: string }
    organization: {
      id: Id
      slug: string
      name: string
      created_ms: number
      retention_errors_days: Defaulted<number | null>
      kept_since_ms: Defaulted<number | null>
    } & Revised
    old_organization_slug: { slug: string; organization_id: number }
    invitation: {
      id: Id
      organization_id: number
      email: string
      role: string
      token_hash: string
      invited_by: string
      created_ms: number
      expires_ms: number
    }
    password_reset: { token_hash: string; user_id: string; created_ms: number; expires_ms: number }
    feedback: {
      id: Id
      project_id: number
      feedback_id: string
      event_id: string
      issue_id: number | null
      kind: string
      name: string
      email: string
      message: string
      url: string
      replay_id: string
      environment: string
      release: string
      state: Defaulted<string>
      received_ms: number
      next_ms: number | null
      changed_ms: number | null
      changed_by: string | null
    }
    removal: {
      id: Id
      organization_id: number
      project_id: number
      issue_id: number | null
      kind: string
      title: string
      user_id: string | null
      created_ms: number
      ended_ms: number | null
      stage: string
      events: Defaulted<number>
      blobs: Defaulted<number>
      error: Defaulted<string>
    }
    doomed_blob: { blob_key: string; removal_id: number }
    removed_events: { project_id: number; quantity: number }
    thin_run: {
      id: Id
      started_ms: number
      ended_ms: number | null
      budget_bytes: number
      bytes_before: number
      bytes_after: number | null
      events: Defaulted<number>
      attachments: Defaulted<number>
      spans: Defaulted<number>
      reached: Defaulted<Flag>
    }
    thin_step: { id: Id; run_id: number; cut: JsonText; row_bytes: number; stage: string; made_ms: number }
    thinned_issue: { issue_id: number; quantity: number }
    /** `title` is the issue's short id. */
    discarded: {
      project_id: number
      hash: string
      title: string
      issue_title: Defaulted<string>
      issue_culprit: Defaulted<string>
      user_id: string | null
      created_ms: number
    }
    member: { organization_id: number; user_id: string; role: string; created_ms: number }
    project: {
      id: Id
      organization_id: number
      slug: string
      name: string
      platform: string | null
      created_ms: number
      first_event_ms: number | null
      allowed_origins: JsonText
      scrub: Defaulted<Flag>
      scrub_defaults: Defaulted<Flag>
      scrub_ip_addresses: Defaulted<Flag>
      sensitive_fields: Defaulted<JsonText>
      safe_fields: Defaulted<JsonText>
      scrape: Defaulted<Flag>
      scrape_tls: Defaulted<Flag>
      sealed_scrape_token: Defaulted<string>
      fingerprint_rules: Defaulted<string>
      stack_rules: Defaulted<string>
      grouping_version: Defaulted<number>
      grouping_secondary: Defaulted<number | null>
      grouping_until_ms: Defaulted<number | null>
      filters: Defaulted<JsonText>
      switches: Defaulted<JsonText>
      routes: Defaulted<JsonText>
      detectors: Defaulted<JsonText>
      metric_series: Defaulted<number>
    } & Revised
    old_slug: { organization_id: number; slug: string; project_id: number }
    project_key: {
      id: Id
      project_id: number
      label: string
      public_key: string
      active: Flag
      rate_count: number | null
      rate_window_s: number | null
      created_ms: number
      last_used_ms: number | null
      browser_sdk: Defaulted<string>
      loader_options: Defaulted<string>
    } & Revised
    filtered_event: {
      id: Id
      project_id: number
      reason: string
      event_id: string
      received_ms: number
      title: string
      why: string
      payload: string
    }
    saved_search: {
      id: Id
      organization_id: number
      user_id: string
      name: string
      shared: Flag
      query: string
      sort: string
      projects: JsonText
      environments: JsonText
      span: string
      created_ms: number
      rev: Defaulted<number>
      scope: Defaulted<ViewScope>
      columns: Defaulted<JsonText>
      facets: Defaulted<JsonText>
    }
    search_default: { organization_id: number; user_id: string; scope: ViewScope; search_id: number }
    short_id: { organization_id: number; prefix: string; last: number }
    issue: {
      id: Id
      organization_id: number
      project_id: number
      short_id: string
      kind: string
      title: string
      culprit: string
      level: string
      platform: string
      logger: string
      metadata: JsonText
      error_type: string
      error_value: string
      /** Title, culprit, type and value in lower case, for free-text search. */
      search_text: string
      status: string
      substatus: string | null
      status_details: JsonText
      resolved_ms: number | null
      assignee_user_id: string | null
      first_seen_ms: number
      last_seen_ms: number
      count: number
      first_release: string
      last_release: string
      unhandled: Flag
      comments: Defaulted<number>
      rev: Defaulted<number>
      /** Time of the last state transition, and time of the next scheduled check. */
      state_ms: Defaulted<number>
      due_ms: Defaulted<number | null>
      /** 1: waits for the next release; 2: waits for a release with the commit in `status_details`. */
      awaits_release: Defaulted<number>
      /** Start of the newest two-minute slot, and arrivals in the last five slots; then the same for the hour. */
      ten_ms: Defaulted<number>
      ten_counts: Defaulted<string>
      hour_ms: Defaulted<number>
      hour_count: Defaulted<number>
      /** Set by a person; null: derived from level and state. */
      priority: Defaulted<string | null>
      /** Counts of its events by diagnostic ('': none), and the resulting noise verdict ('': none). */
      sign_counts: Defaulted<string>
      noise: Defaulted<string>
    }
    issue_bookmark: { issue_id: number; user_id: string; at_ms: number }
    issue_subscription: { issue_id: number; user_id: string; active: Flag; reason: string; at_ms: number }
    notice: {
      id: Id
      issue_id: number
      user_id: string
      activity_id: number
      kind: string
      place: Defaulted<string>
      attempts: Defaulted<number>
      next_ms: number
    }
    bulk: {
      id: Id
      organization_id: number
      user_id: string | null
      change: JsonText
      total: number
      done: Defaulted<number>
      changed: Defaulted<number>
      undone: Defaulted<Flag>
      created_ms: number
      ended_ms: number | null
    }
    bulk_item: { bulk_id: number; issue_id: number; place: number; undo: JsonText | null; rev: number | null }
    ownership: { project_id: number; text: string; auto_assign: Flag; sweep_id: number | null } & Revised
    owner_due: { issue_id: number; project_id: number; event_id: string; at_ms: number }
    issue_suggestion: { issue_id: number; user_id: string; place: number; rule: string }
    issue_forecast: { issue_id: number; made_ms: number; limits: JsonText }
    issue_seen: { issue_id: number; user_id: string; at_ms: number }
    fingerprint: { project_id: number; hash: string; issue_id: number }
    hash_sign: { project_id: number; hash: string; sign: string; events: number }
    activity: { id: Id; issue_id: number; type: string; created_ms: number; user_id: string | null; data: JsonText }
    digest: { project_id: number; digest: string; issue_id: number; event_id: string; last_ms: number }
    failure_side: {
      id: Id
      organization_id: number
      project_id: number
      event_id: string
      hash: string
      side: string
      digest: string
      sure: Flag
      hints: number
      trace_id: string
      route: string
      user_hash: string
      received_ms: number
      open: Flag
      alone: string
    }
    failure_link: {
      organization_id: number
      browser_project_id: number
      browser_event_id: string
      browser_hash: string
      user_hash: string
      browser_ms: number
      server_project_id: number
      server_event_id: string
      server_hash: string
      reason: string
      made_ms: number
      server_ms: number
    }
    release: {
      organization_id: number
      project_id: number
      version: string
      first_event_ms: number
      last_event_ms: number
    }
    made_release: {
      organization_id: number
      project_id: number
      version: string
      created_ms: number
      released_ms: number | null
      url: Defaulted<string>
      ref: Defaulted<string>
      archived: Defaulted<Flag>
    }
    release_environment: {
      project_id: number
      version: string
      environment: string
      first_event_ms: number
      last_event_ms: number
    }
    commit_file: { commit_id: number; path: string; name: string; type: string }
    release_commit: { organization_id: number; version: string; place: number; commit_id: number }
    release_ref: {
      organization_id: number
      version: string
      repository_id: number
      sha: string
      previous_sha: string
    }
    deploy: {
      id: Id
      organization_id: number
      version: string
      environment: string
      name: string
      url: string
      started_ms: number | null
      finished_ms: number
    }
    deploy_project: { deploy_id: number; project_id: number; finished_ms: number }
    chunk: { organization_id: number; checksum: string; bytes: number; blob_key: string; expires_ms: number }
    artifact_bundle: {
      id: Id
      organization_id: number
      uuid: string
      checksum: string
      kind: string
      blob_key: string
      bytes: number
      files: number
      created_ms: number
      used_ms: number
    }
    artifact_link: { bundle_id: number; project_id: number; release: string; dist: string; created_ms: number }
    artifact_file: {
      id: Id
      bundle_id: number
      entry: string
      type: string
      debug_id: string
      url: string
      headers: JsonText
      bytes: number
      at: number
      packed: number
      method: number
      crc: number
    }
    artifact_checksum: { organization_id: number; checksum: string; bundle_id: number }
    scrape: {
      project_id: number
      release: string
      dist: string
      url: string
      next_ms: number
      last_ms: number
      fetched_ms: number | null
      failure: Defaulted<string>
    }
    missed: { project_id: number; name: string; hash: string; from_jpos: number; last_ms: number }
    missed_sum: { project_id: number; quantity: number; refused: Defaulted<number>; refused_ms: number | null }
    arrival: { project_id: number; bundle_id: number; created_ms: number }
    regrouping: {
      id: Id
      project_id: number
      cause: string
      created_ms: number
      ended_ms: number | null
      looked: Defaulted<number>
      total: Defaulted<number>
      mapped: Defaulted<number>
      moved: Defaulted<number>
      issues: Defaulted<number>
      error: Defaulted<string>
    }
    regroup_step: {
      id: Id
      regrouping_id: number
      project_id: number
      rewrite: JsonText
      stale: Defaulted<JsonText>
      stage: string
      made_ms: number
    }
    taken_issue: { issue_id: number; hash: string }
    moved_issue: { id: number; organization_id: number; short_id: string; issue_id: number; moved_ms: number }
    merged_hash: { project_id: number; hash: string; from_id: number; merged_ms: number }
    environment: {
      project_id: number
      name: string
      first_seen_ms: number
      last_seen_ms: number
      hidden: Defaulted<Flag>
    }
    outcome: {
      hour_ms: number
      project_id: number
      key_id: number
      category: string
      outcome: string
      reason: string
      item_type: string
      quantity: number
      bytes: number
    }
    dead_item: {
      id: Id
      jpos: number
      project_id: number
      key_id: number
      received_ms: number
      reason: string
      bytes: number
      blob_key: string
    }
    attachment: {
      id: Id
      project_id: number
      event_id: string
      name: string
      type: string
      content_type: string
      bytes: number
      blob_key: string
      received_ms: number
    }
    batch: { seq: Id; from_jpos: number; to_jpos: number; lane: Defaulted<Lane> }
    cursor: { id: number; jpos: number }
    api_token: {
      id: Id
      name: string
      prefix: string
      hash: string
      user_id: string
      organization_id: number | null
      scopes: JsonText
      created_ms: number
      last_used_ms: number | null
    }
    alert_due: {
      id: Id
      organization_id: number
      project_id: number
      issue_id: number
      kind: string
      event_id: string
      at_ms: number
      until_ms: Defaulted<number>
    }
    auth_user: { id: string; name: string; email: string }
    auth_account: { id: string; userId: string; password: string | null }
  }
