import type { FiringStore } from './alerts/firings.ts'
import type { IncidentStore } from './alerts/incidents.ts'
import type { MuteStore } from './alerts/mutes.ts'
import type { OnCallStore } from './alerts/on-call.ts'
import type { AlertRuleStore } from './alerts/rules.ts'
import type { SlackClickStore } from './alerts/slack-clicks.ts'
import type { TriggerStore } from './alerts/triggers.ts'
import type { WorkflowStore } from './alerts/workflows.ts'
import type { ArtifactSearchStore } from './artifacts/artifact-search.ts'
import type { ArtifactStore } from './artifacts/artifacts.ts'
import type { ChunkStore } from './artifacts/chunks.ts'
import type { DashboardStore } from './dashboards/dashboards.ts'
import type { MetaBackupStore } from './database/snapshot.ts'
import type { ExportStore } from './explore/exports.ts'
import type { SavedQueryStore } from './explore/saved-queries.ts'
import type { AttachmentStore, OutcomeStore, RetentionStore, ValueStore } from './ingest/counts.ts'
import type { DeadLetterStore } from './ingest/dead-letters.ts'
import type { EnvironmentStore } from './ingest/environments.ts'
import type { MissingMapStore } from './ingest/missing-source-maps.ts'
import type { AlertStore } from './issues/alerts.ts'
import type { AttentionStore } from './issues/attention.ts'
import type { BulkStore } from './issues/bulk.ts'
import type { CommentStore } from './issues/comments.ts'
import type { ErrorLinkStore } from './issues/error-links.ts'
import type { FeedbackStore } from './issues/feedback.ts'
import type { IssueIdsStore, IssueReadStore } from './issues/issues.ts'
import type { MergeStore } from './issues/merge.ts'
import type { MergeUndoStore } from './issues/merge-undo.ts'
import type { ScheduledTransitionStore } from './issues/scheduled-transitions.ts'
import type { SearchStore } from './issues/searches.ts'
import type { SuggestionStore } from './issues/suggestions.ts'
import type { IssueChangeStore } from './issues/triage.ts'
import type { BatchStore } from './meta.ts'
import type { MemberStore } from './people/members.ts'
import type { OrganizationStore } from './people/organization-change.ts'
import type { OrganizationRemovalStore } from './people/organization-removal.ts'
import type { MembershipStore, OrganizationRowStore } from './people/organizations.ts'
import type { PersonStore } from './people/people.ts'
import type { PushBrowserStore } from './people/push-browsers.ts'
import type { ResetStore } from './people/resets.ts'
import type { TokenStore } from './people/tokens.ts'
import type { PersonalStore } from './personal/personal.ts'
import type { SummaryStore } from './personal/summaries.ts'
import type { FilterStore } from './projects/inbound-filters.ts'
import type { OwnershipStore } from './projects/ownership.ts'
import type { KeyStore, ProjectStore } from './projects/projects.ts'
import type { ScrapeStore } from './projects/scrape.ts'
import type { CommitStore } from './releases/commits.ts'
import type { DeployStore } from './releases/deploys.ts'
import type { ReleaseStore } from './releases/releases.ts'
import type { DownsamplingStore } from './retention/downsampling.ts'
import type { RemovalStore } from './retention/removals.ts'
import type { ReprocessingMetaStore } from './retention/reprocessing.ts'
import type { TraceStepStore } from './retention/trace-steps.ts'
import type { CodeMappingStore } from './trackers/code-mappings.ts'
import type { ExternalIssueStore } from './trackers/external-issues.ts'
import type { HookStore } from './trackers/hooks.ts'
import type { IntegrationStore } from './trackers/integrations.ts'
import type { RuleIssueStore } from './trackers/rule-issues.ts'

/** Issues: reads, changes by people and by the clock, what people watch, and saved searches. */
type IssueParts = IssueReadStore &
  IssueIdsStore &
  IssueChangeStore &
  CommentStore &
  ScheduledTransitionStore &
  AttentionStore &
  BulkStore &
  SuggestionStore &
  SearchStore

/** Uploaded and fetched files, their chunks, and the source maps that are missing. */
type ArtifactParts = ArtifactStore & ArtifactSearchStore & ChunkStore & MissingMapStore & ScrapeStore

/** Projects, their keys and their settings. */
type ProjectParts = ProjectStore &
  KeyStore &
  FilterStore &
  OwnershipStore &
  EnvironmentStore &
  Pick<BatchStore, 'projectSettings'>

/** What deletes and rewrites events: retention, downsampling, removals and reprocessing. */
type RetentionParts = RetentionStore &
  DownsamplingStore &
  TraceStepStore &
  RemovalStore &
  OrganizationRemovalStore &
  ReprocessingMetaStore

/** The parts of the meta store by subject. */
type MetaParts = {
  /** The batches of refine, and the single transaction that commits a batch. */
  batches: Omit<BatchStore, 'projectSettings'>
  issues: IssueParts
  merges: MergeStore & MergeUndoStore
  errorLinks: ErrorLinkStore
  feedback: FeedbackStore
  /** Notification channels, what they are due, and what they got. */
  alerts: AlertStore & SlackClickStore
  /** Browsers of people that want push messages. */
  pushBrowsers: PushBrowserStore
  /** Incidents, what mutes them, and who is on call. */
  incidents: IncidentStore & MuteStore & OnCallStore
  /** Alert rules, their states and what they found. */
  alertRules: AlertRuleStore & WorkflowStore & TriggerStore & FiringStore
  /** Releases with their commits and deploys. */
  releases: ReleaseStore & CommitStore & DeployStore
  artifacts: ArtifactParts
  projects: ProjectParts
  organizations: OrganizationRowStore & OrganizationStore & MembershipStore & MemberStore
  /** People with their tokens and forgotten passwords. */
  people: PersonStore & TokenStore & ResetStore
  /** Outcomes, key use, and dead letters. */
  ledger: OutcomeStore & DeadLetterStore
  attachments: AttachmentStore
  /** Saved queries and exports. */
  explore: SavedQueryStore & ExportStore
  dashboards: DashboardStore
  /** What people want to hear, and the times of their mails that collect. */
  personal: PersonalStore & SummaryStore
  /** Issue trackers with their links and webhooks, and code mappings. */
  trackers: IntegrationStore & ExternalIssueStore & RuleIssueStore & HookStore & CodeMappingStore
  retention: RetentionParts
  /** Single values of the installation, by name. */
  values: ValueStore
  /** Copies and checks of the whole store. */
  snapshots: MetaBackupStore
}

/** The store of all data except events, on SQLite or PostgreSQL. Each part declares its own type, and none imports it. */
export type MetaStore = MetaParts & { close(): Promise<void> }

type Path = { [Part in keyof MetaParts]: `${Part}.${keyof MetaParts[Part] & string}` }[keyof MetaParts]
type PartOf<Name> = Name extends `${infer Part}.${string}` ? Part : never
type MethodOf<Name, Part extends string> = Name extends `${Part}.${infer Method}` ? Method : never

/** A meta store of which only these methods are used: `MetaWith<'issues.issueById' | 'values.getValue'>`. */
export type MetaWith<Name extends Path> = {
  [Part in PartOf<Name> & keyof MetaParts]: Pick<MetaParts[Part], MethodOf<Name, Part> & keyof MetaParts[Part]>
}
