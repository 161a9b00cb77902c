import { decisionPart } from './alerts/decisions.ts'
import { alertDuePart, deliveryPart, outboxPart } from './alerts/deliveries.ts'
import { firingPart } from './alerts/firings.ts'
import { incidentChangePart, incidentReadPart } from './alerts/incidents.ts'
import { mutePart } from './alerts/mutes.ts'
import { onCallPart } from './alerts/on-call.ts'
import { alertRulePart } from './alerts/rules.ts'
import { slackClickPart } from './alerts/slack-clicks.ts'
import { triggerPart } from './alerts/triggers.ts'
import { workflowPart } from './alerts/workflows.ts'
import { bundleCleanupPart, bundleWritePart } from './artifacts/artifact-changes.ts'
import { fileLocationPart, fileSearchPart } from './artifacts/artifact-search.ts'
import { bundleListPart, frameFilePart, releaseFilePart } from './artifacts/artifacts.ts'
import { chunkCleanupPart, chunkPart } from './artifacts/chunks.ts'
import { dashboardPart } from './dashboards/dashboards.ts'
import { backupPart, type SnapshotSource } from './database/snapshot.ts'
import type { Store } from './database/store.ts'
import { exportPart } from './explore/exports.ts'
import { savedQueryPart } from './explore/saved-queries.ts'
import { batchPart } from './ingest/batch.ts'
import { attachmentPart, outcomePart, prunePart, valuePart } from './ingest/counts.ts'
import { deadLetterPart } from './ingest/dead-letters.ts'
import { environmentPart } from './ingest/environments.ts'
import {
  type MissingMapWriter,
  missingMapClearPart,
  missingMapReadPart,
  missingMapWriter,
} from './ingest/missing-source-maps.ts'
import { channelPart } from './issues/alerts.ts'
import { noticePart, subscriptionPart, userFlagsPart } from './issues/attention.ts'
import { bulkPart } from './issues/bulk.ts'
import { commentPart } from './issues/comments.ts'
import { errorLinkLimitPart, errorLinkReadPart } from './issues/error-links.ts'
import { feedbackLinkPart, feedbackPart } from './issues/feedback.ts'
import { issueListPart, lookupPart, relatedRowsPart, viewedPart } from './issues/issues.ts'
import { errorLinkPart } from './issues/link-errors.ts'
import { mergePart, similarPart } from './issues/merge.ts'
import { mergeUndoPart } from './issues/merge-undo.ts'
import { forecastPart, scheduledTransitionPart } from './issues/scheduled-transitions.ts'
import { searchPart } from './issues/searches.ts'
import { suggestionPart } from './issues/suggestions.ts'
import { issueChangePart } from './issues/triage.ts'
import { unmergePart } from './issues/unmerge.ts'
import type { MetaStore } from './meta-store.ts'
import { channelAddressPart } from './people/channel-addresses.ts'
import { invitationPart, membershipPart } from './people/members.ts'
import { organizationChangePart, organizationRetentionPart } from './people/organization-change.ts'
import { organizationRemovalPart } from './people/organization-removal.ts'
import { memberPart, organizationPart } from './people/organizations.ts'
import { peoplePart } from './people/people.ts'
import { pushBrowserPart } from './people/push-browsers.ts'
import { resetPart } from './people/resets.ts'
import { tokenPart } from './people/tokens.ts'
import { personalMailPart, personalSettingsPart } from './personal/personal.ts'
import { digestPart, reportPart } from './personal/summaries.ts'
import { detectorPart } from './projects/detectors.ts'
import { filterPart } from './projects/inbound-filters.ts'
import { ownershipPart } from './projects/ownership.ts'
import { keyPart, projectChangePart, projectPart, settingsPart, snapshotPart } from './projects/projects.ts'
import { routePart } from './projects/routes.ts'
import { scrapePart } from './projects/scrape.ts'
import { releaseParts } from './releases/release-parts.ts'
import {
  downsampleCountPart,
  downsampleFilePart,
  downsampleRunPart,
  downsampleStepPart,
} from './retention/downsampling.ts'
import { removalFilePart, removalPart, removalRowPart } from './retention/removals.ts'
import { reprocessCommitPart } from './retention/reprocess-commit.ts'
import { reprocessingEdgePart, reprocessingRunPart, reprocessingStepPart } from './retention/reprocessing.ts'
import { traceStepPart } from './retention/trace-steps.ts'
import { codeMappingPart } from './trackers/code-mappings.ts'
import { externalIssuePart, externalPushPart, externalReadPart } from './trackers/external-issues.ts'
import { hookPart } from './trackers/hooks.ts'
import { integrationPart } from './trackers/integrations.ts'
import { ruleIssuePart } from './trackers/rule-issues.ts'

/** Issues: reads, changes by people and by the clock, what people watch, and saved searches. */
const issueParts = (store: Store): MetaStore['issues'] => ({
  ...issueListPart(store),
  ...relatedRowsPart(store),
  ...lookupPart(store),
  ...issueChangePart(store),
  ...commentPart(store),
  ...viewedPart(store),
  ...scheduledTransitionPart(store),
  ...forecastPart(store),
  ...userFlagsPart(store),
  ...subscriptionPart(store),
  ...noticePart(store),
  ...bulkPart(store),
  ...suggestionPart(store),
  ...searchPart(store),
})

/** Projects, their keys and their settings. */
const projectParts = (store: Store): MetaStore['projects'] => ({
  ...projectPart(store),
  ...projectChangePart(store),
  ...settingsPart(store),
  ...keyPart(store),
  ...snapshotPart(store),
  ...filterPart(store),
  ...ownershipPart(store),
  ...environmentPart(store),
  ...routePart(store),
  ...detectorPart(store),
})

/** Uploaded and fetched files, their chunks, and the source maps that are missing. */
const artifactParts = (store: Store, missingMaps: MissingMapWriter): MetaStore['artifacts'] => ({
  ...bundleListPart(store),
  ...frameFilePart(store),
  ...bundleWritePart(store),
  ...bundleCleanupPart(store),
  ...releaseFilePart(store),
  ...fileSearchPart(store),
  ...fileLocationPart(store),
  ...chunkPart(store),
  ...chunkCleanupPart(store),
  ...missingMapReadPart(store, missingMaps),
  ...missingMapClearPart(store, missingMaps),
  ...scrapePart(store),
})

/** What deletes and rewrites events: retention, downsampling, removals and reprocessing. */
const retentionParts = (store: Store, missingMaps: MissingMapWriter): MetaStore['retention'] => ({
  ...prunePart(store),
  ...downsampleRunPart(store),
  ...traceStepPart(store),
  ...downsampleStepPart(store),
  ...downsampleCountPart(store),
  ...downsampleFilePart(store),
  ...removalPart(store),
  ...removalFilePart(store),
  ...removalRowPart(store),
  ...organizationRemovalPart(store),
  ...reprocessingRunPart(store),
  ...reprocessingStepPart(store),
  ...reprocessingEdgePart(store),
  ...reprocessCommitPart(store, missingMaps),
})

/** All parts of the meta store, whatever its database is. `copies`: how this database is copied and checked. */
export function metaParts(store: Store, copies: SnapshotSource): Omit<MetaStore, 'close'> {
  const missingMaps = missingMapWriter(store)
  return {
    batches: batchPart(store, missingMaps),
    issues: issueParts(store),
    merges: { ...mergePart(store), ...similarPart(store), ...unmergePart(store), ...mergeUndoPart(store) },
    errorLinks: { ...errorLinkReadPart(store), ...errorLinkPart(store), ...errorLinkLimitPart(store) },
    feedback: { ...feedbackPart(store), ...feedbackLinkPart(store) },
    alertRules: { ...alertRulePart(store), ...workflowPart(store), ...triggerPart(store), ...firingPart(store) },
    alerts: {
      ...channelPart(store),
      ...alertDuePart(store),
      ...outboxPart(store),
      ...deliveryPart(store),
      ...slackClickPart(store),
      ...channelAddressPart(store),
    },
    pushBrowsers: pushBrowserPart(store),
    incidents: {
      ...incidentReadPart(store),
      ...decisionPart(store),
      ...incidentChangePart(store),
      ...mutePart(store),
      ...onCallPart(store),
    },
    releases: releaseParts(store),
    artifacts: artifactParts(store, missingMaps),
    projects: projectParts(store),
    organizations: {
      ...organizationPart(store),
      ...memberPart(store),
      ...organizationChangePart(store),
      ...organizationRetentionPart(store),
      ...invitationPart(store),
      ...membershipPart(store),
    },
    people: { ...peoplePart(store), ...tokenPart(store), ...resetPart(store) },
    ledger: { ...outcomePart(store), ...deadLetterPart(store) },
    attachments: attachmentPart(store),
    explore: { ...savedQueryPart(store), ...exportPart(store) },
    dashboards: dashboardPart(store),
    personal: {
      ...personalSettingsPart(store),
      ...personalMailPart(store),
      ...digestPart(store),
      ...reportPart(store),
    },
    trackers: {
      ...integrationPart(store),
      ...externalIssuePart(store),
      ...externalReadPart(store),
      ...externalPushPart(store),
      ...ruleIssuePart(store),
      ...hookPart(store),
      ...codeMappingPart(store),
    },
    retention: retentionParts(store, missingMaps),
    values: valuePart(store),
    snapshots: backupPart(store, copies),
  }
}
