import type { GroupingNode } from '../domain/grouping.ts'

/** How an event is grouped by its project's rules of now. */
export type RestGroupingInfo = {
  version: number
  /** Those that count, first the one that stands for the issue. */
  hashes: string[]
  /** What the event was stored with: others than `hashes` when rules were changed since. */
  storedHashes: string[]
  rule: string | null
  /** The rule that matched when the event came. */
  storedRule: string | null
  variants: {
    name: string
    contributes: boolean
    hint: string | null
    hash: string | null
    why: string
    component: GroupingNode
  }[]
}

/** An issue as lists of grouping name it. */
export type RestIssueName = { id: string; shortId: string; title: string; culprit: string }

/** A hash that leads to an issue. */
export type RestIssueHash = {
  id: string
  events: number
  lastSeen: string | null
  latestEvent: { eventID: string; title: string } | null
  /** Short id of the issue that people merged into this one, which brought it. */
  mergedFrom: string | null
}

export type RestUnmerge = { issue: RestIssueName; made: RestIssueName | null; events: number }

/** Where an event of the preview would go. `issue`: into one that is there; `new`: into a new one, `to` names which. */
export type RestPreviewedEvent = {
  eventID: string
  title: string
  issue: RestIssueName | null
  kind: 'same' | 'issue' | 'new'
  to: RestIssueName | null
  hash: string
  rule: string | null
}
export type RestGroupingPreview = { looked: number; changed: number; newIssues: number; events: RestPreviewedEvent[] }

/** An issue that is like another one: how alike from 0 to 1, by stack and by message. */
export type RestSimilarIssue = {
  issue: RestIssueName & { count: string; lastSeen: string; status: string }
  stack: number
  message: number
  score: number
}
