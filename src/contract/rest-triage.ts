import type { StatusDetails, Substatus } from '../domain/issue-states.ts'
import type { IssueStatus, RestIssue } from './rest.ts'

/** Shapes of answers about what people do with issues; the others are in rest.ts. */
export type RestPerson = { id: string; name: string; email: string }

/** PUT organizations/{org}/issues/: what was set, and how far a change of many is. */
export type RestIssueChange = {
  status?: IssueStatus
  substatus?: Substatus | null
  statusDetails?: StatusDetails
  assignedTo?: RestIssue['assignedTo']
  priority?: RestIssue['priority'] | null
  hasSeen?: boolean
  isBookmarked?: boolean
  isSubscribed?: boolean
  updated: string[]
  bulk?: RestBulk
}

/** organizations/{org}/issue-changes/{id}/: a change of many issues. */
export type RestBulk = {
  id: string
  total: number
  done: number
  changed: number
  undone: boolean
  dateCreated: string
  dateEnded: string | null
}

/** projects/{org}/{project}/ownership/: whose what is. */
export type RestOwnership = {
  raw: string
  autoAssignment: boolean
  revision: number
  lastUpdated: string | null
  rules: { line: number; text: string; owners: string[] }[]
  faults: { line: number; sentence: string }[]
}

/** What rules would do with the latest issues. */
export type RestOwnershipTest = {
  faults: { line: number; sentence: string }[]
  issues: {
    id: string
    shortId: string
    title: string
    line: number | null
    rule: string | null
    owner: string | null
  }[]
}

/** issues/{id}/in-common/: values that its events have more often than the project's others. Shares are 0 to 1. */
export type RestInCommon = {
  /** Events that were looked at, at most 5,000 of its newest; others in a sample. */
  own: number
  others: number
  values: {
    key: string
    value: string
    own: number
    ownShare: number
    otherShare: number
    lift: number
    /** The lift is within these bounds in 95 of 100 cases. */
    low: number
    high: number
  }[]
}

/** projects/{org}/{project}/tombstones/: an issue that was deleted for good. */
export type RestTombstone = {
  /** The short id that it had. */
  id: string
  /** Title and culprit that it had; '' of one that was discarded by a version that did not keep them. */
  title: string
  culprit: string
  hashes: string[]
  actor: RestPerson | null
  dateCreated: string
}
