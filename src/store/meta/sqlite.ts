import type { Clock } from '../../clock.ts'
import { channelPart, deliveryPart, outboxPart } from './alerts.ts'
import { artifactPlacePart, artifactSearchPart } from './artifact-search.ts'
import {
  artifactChangePart,
  artifactEndPart,
  artifactListPart,
  artifactLookPart,
  releaseFilePart,
} from './artifacts.ts'
import { attentionPart, noticePart, ownPart } from './attention.ts'
import { batchPart } from './batch.ts'
import { bulkPart } from './bulk.ts'
import { channelAddressPart } from './channel-addresses.ts'
import { chunkEndPart, chunkPart } from './chunks.ts'
import { clockworkPart, forecastPart } from './clockwork.ts'
import { openSqlite } from './connection.ts'
import { keptPart, outcomePart } from './counts.ts'
import { deadPart } from './dead.ts'
import { sqliteDialect } from './dialect.ts'
import { environmentPart } from './environments.ts'
import { failureJoinPart } from './failure-join.ts'
import { failureBoundPart, failureReadPart } from './failures.ts'
import { feedbackLinkPart, feedbackPart } from './feedback.ts'
import { filterPart } from './filters.ts'
import { commentPart, issueHangPart, issueListPart, lookPart, seenPart } from './issues.ts'
import { keepPart } from './keep.ts'
import { invitationPart, membershipPart } from './members.ts'
import { mergePart, similarPart, unmergePart } from './merge.ts'
import type { MetaStore } from './meta.ts'
import { migrate } from './migrate.ts'
import { type MissedNotes, missedEndPart, missedLookPart, missedNotes } from './missed.ts'
import { organizationChangePart, organizationKeepPart } from './organization-change.ts'
import { organizationRemovalPart } from './organization-removal.ts'
import { memberPart, organizationPart } from './organizations.ts'
import { ownershipPart } from './ownership.ts'
import { peoplePart } from './people.ts'
import { keyPart, projectChangePart, projectPart, settingsPart, snapshotPart } from './projects.ts'
import { regroupEdgePart, regroupRunPart, regroupStepPart } from './regroup.ts'
import { regroupCommitPart } from './regroup-commit.ts'
import { releaseParts } from './release-parts.ts'
import { removalFilePart, removalPart, removalRowPart } from './removals.ts'
import { resetPart } from './resets.ts'
import { scrapePart } from './scrape.ts'
import { searchPart } from './searches.ts'
import type { Store } from './store.ts'
import { suggestionPart } from './suggestions.ts'
import { thinCountPart, thinFilePart, thinRunPart, thinStepPart } from './thinning.ts'
import { tokenPart } from './tokens.ts'
import { issueChangePart } from './triage.ts'

/** What people and the clock do with issues. */
const triageParts = (store: Store) => ({
  ...issueChangePart(store),
  ...clockworkPart(store),
  ...forecastPart(store),
  ...ownPart(store),
  ...attentionPart(store),
  ...noticePart(store),
  ...bulkPart(store),
  ...ownershipPart(store),
  ...suggestionPart(store),
})

/** Who is in an organization, who forgot a password, who wants mails. */
const accountParts = (store: Store) => ({
  ...invitationPart(store),
  ...membershipPart(store),
  ...resetPart(store),
  ...channelAddressPart(store),
})

/** What comes after its events: maps that they missed, and the other side of a failure. */
const laterParts = (store: Store, notes: MissedNotes) => ({
  ...failureReadPart(store),
  ...failureJoinPart(store),
  ...failureBoundPart(store),
  ...missedLookPart(store, notes),
  ...missedEndPart(store, notes),
  ...scrapePart(store),
  ...regroupRunPart(store),
  ...regroupStepPart(store),
  ...regroupEdgePart(store),
  ...regroupCommitPart(store, notes),
  ...mergePart(store),
  ...similarPart(store),
  ...unmergePart(store),
})

/**
 * Opens (or makes) the meta store in one SQLite file: one writer, and one reader, so that screens never wait for a commit.
 * `readers: 0` reads through the writer. Throws START_NEWER_DATA when a newer version wrote the file.
 */
export function openSqliteMeta(file: string, options: { clock: Clock; readers?: number }): MetaStore {
  const dialect = sqliteDialect()
  const write = openSqlite(file)
  try {
    migrate(write, dialect, options.clock.now())
  } catch (error) {
    write.close()
    throw error
  }
  const read = (options.readers ?? 1) > 0 ? openSqlite(file, { readOnly: true }) : write
  const store: Store = { write, read, dialect, clock: options.clock }
  const notes = missedNotes(store)
  return {
    ...organizationPart(store),
    ...memberPart(store),
    ...projectPart(store),
    ...projectChangePart(store),
    ...settingsPart(store),
    ...keyPart(store),
    ...snapshotPart(store),
    ...peoplePart(store),
    ...issueListPart(store),
    ...issueHangPart(store),
    ...seenPart(store),
    ...triageParts(store),
    ...commentPart(store),
    ...lookPart(store),
    ...outcomePart(store),
    ...keptPart(store),
    ...deadPart(store),
    ...tokenPart(store),
    ...batchPart(store, notes),
    ...laterParts(store, notes),
    ...channelPart(store),
    ...outboxPart(store),
    ...deliveryPart(store),
    ...keepPart(store),
    ...thinRunPart(store),
    ...thinStepPart(store),
    ...thinCountPart(store),
    ...thinFilePart(store),
    ...accountParts(store),
    ...feedbackPart(store),
    ...feedbackLinkPart(store),
    ...organizationChangePart(store),
    ...organizationKeepPart(store),
    ...removalPart(store),
    ...removalFilePart(store),
    ...removalRowPart(store),
    ...organizationRemovalPart(store),
    ...environmentPart(store),
    ...filterPart(store),
    ...searchPart(store),
    ...artifactListPart(store),
    ...artifactLookPart(store),
    ...artifactChangePart(store),
    ...artifactEndPart(store),
    ...releaseFilePart(store),
    ...artifactSearchPart(store),
    ...artifactPlacePart(store),
    ...chunkPart(store),
    ...chunkEndPart(store),
    ...releaseParts(store),
    close: () => {
      if (read !== write) read.close()
      write.close()
    },
  }
}
