import type { ArtifactSearchStore } from './artifacts/artifact-search.ts'
import type { ArtifactStore } from './artifacts/artifacts.ts'
import type { ChunkStore } from './artifacts/chunks.ts'
import type { MetaBackupStore } from './database/snapshot.ts'
import type { OutcomeStore, RetentionStore } from './ingest/counts.ts'
import type { DeadLetterStore } from './ingest/dead-letters.ts'
import type { EnvironmentStore } from './ingest/environments.ts'
import type { MissingMapStore } from './ingest/missing-source-maps.ts'
import type { AlertStore } from './issues/alerts.ts'
import type { AttentionStore } from './issues/attention.ts'
import type { BulkStore } from './issues/bulk.ts'
import type { ErrorLinkStore } from './issues/error-links.ts'
import type { FeedbackStore } from './issues/feedback.ts'
import type { CommentStore, IssueIdsStore, IssueReadStore } from './issues/issues.ts'
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
import type { ResetStore } from './people/resets.ts'
import type { TokenStore } from './people/tokens.ts'
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

/** The store of all data except events: one set of Kysely queries for two dialects (SQLite now). Each part declares its
 * own share of this type, and none imports it. */
export type MetaStore = BatchStore &
  AlertStore &
  MetaBackupStore &
  MemberStore &
  ErrorLinkStore &
  FeedbackStore &
  FilterStore &
  OrganizationStore &
  RemovalStore &
  OrganizationRemovalStore &
  EnvironmentStore &
  ArtifactStore &
  ArtifactSearchStore &
  ChunkStore &
  CommitStore &
  DeployStore &
  ReleaseStore &
  ResetStore &
  MissingMapStore &
  ReprocessingMetaStore &
  MergeStore &
  MergeUndoStore &
  ScrapeStore &
  SearchStore &
  IssueChangeStore &
  CommentStore &
  IssueIdsStore &
  ScheduledTransitionStore &
  AttentionStore &
  BulkStore &
  OwnershipStore &
  SuggestionStore &
  DownsamplingStore &
  OrganizationRowStore &
  MembershipStore &
  ProjectStore &
  KeyStore &
  PersonStore &
  IssueReadStore &
  TokenStore &
  OutcomeStore &
  RetentionStore &
  DeadLetterStore & {
    close(): Promise<void>
  }
