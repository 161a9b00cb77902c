import type { Store } from '../database/store.ts'
import { commitChangePart } from './commit-changes.ts'
import { commitSumPart, orphanPart } from './commit-sums.ts'
import { type CommitStore, commitFilePart, commitListPart, repositoryPart } from './commits.ts'
import { type DeployStore, deployMomentPart, deployPart, deploySumPart, releaseMomentPart } from './deploys.ts'
import { pushedCommitPart } from './pushed-commits.ts'
import { type ReleaseStore, releasePart } from './releases.ts'

/** All parts of the store for releases: releases, commits and deploys. */
export function releaseParts(store: Store): ReleaseStore & CommitStore & DeployStore {
  return {
    ...releasePart(store),
    ...commitChangePart(store),
    ...repositoryPart(store),
    ...commitListPart(store),
    ...commitFilePart(store),
    ...pushedCommitPart(store),
    ...commitSumPart(store),
    ...orphanPart(store),
    ...deployPart(store),
    ...deploySumPart(store),
    ...releaseMomentPart(store),
    ...deployMomentPart(store),
  }
}
