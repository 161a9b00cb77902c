import { z } from 'zod'
import { substatuses } from '../domain/issue-states.ts'
import { assignee, issueStatus, priority, statusDetails } from './issues.ts'
import { digits, revisionField, time } from './scalars.ts'

/** organizations/{org}/issue-changes/{id}/: a bulk change. */
export const restBulk = z
  .strictObject({
    id: digits,
    total: z.int(),
    done: z.int(),
    changed: z.int(),
    undone: z.boolean(),
    dateCreated: time,
    dateEnded: time.nullable(),
  })
  .meta({ id: 'IssueBulk' })
export type RestBulk = z.infer<typeof restBulk>

/** PUT organizations/{org}/issues/: the new values, and the progress of a bulk change. */
export const restIssueChange = z.strictObject({
  status: issueStatus.exactOptional(),
  substatus: z.enum(substatuses).nullable().exactOptional(),
  statusDetails: statusDetails.exactOptional(),
  assignedTo: assignee.exactOptional(),
  priority: priority.nullable().exactOptional(),
  hasSeen: z.boolean().exactOptional(),
  isBookmarked: z.boolean().exactOptional(),
  isSubscribed: z.boolean().exactOptional(),
  bulk: restBulk.exactOptional(),
  merge: z
    .strictObject({
      parent: digits,
      children: z.array(digits),
      /** Ours: the activity entry by which the merge can be undone. Null for a merge in steps. */
      activity: digits.nullable(),
    })
    .exactOptional(),
  updated: z.array(digits),
})
export type RestIssueChange = z.infer<typeof restIssueChange>

// ---- the body

const minutesMax = 5 * 366 * 24 * 60
const count = z.int('A whole number.').min(1, 'At least 1.').max(1_000_000_000, 'At most 1,000,000,000.').nullish()
const minutes = z.int('Whole minutes.').min(1, 'At least 1 minute.').max(minutesMax, 'At most five years.').nullish()
const release = z.string().trim().min(1, 'A version.').max(200, 'At most 200 characters.').nullish()
const until = z.iso.datetime({ offset: true, error: 'A time such as 2026-11-22T10:00:00Z.' }).nullish()

/** Details of a status. Unknown names are ignored, because clients send back fields that they read. */
const statusDetailsBody = z.object({
  inRelease: release.describe('resolved: in this release; latest: the latest one of its project.'),
  inNextRelease: z.boolean().nullish().describe('resolved: in the next release.'),
  inCommit: z
    .object({
      repository: z.string('The name of a repository.').trim().min(1, 'The name of a repository.').max(200),
      commit: z.string('The whole id of a commit.').trim().min(1, 'The whole id of a commit.').max(64),
    })
    .nullish()
    .describe('resolved: in the first release of its project that has this commit.'),
  afterRelease: z.string().max(200).nullish(),
  ignoreDuration: minutes.describe('archived: for this many minutes.'),
  ignoreUntil: until.describe('archived: until this time.'),
  ignoreCount: count.describe('archived: until this many more events.'),
  ignoreWindow: minutes.describe('archived: until ignoreCount events arrive within this many minutes.'),
  ignoreUserCount: count.describe('archived: until it affects this many users.'),
  ignoreUserWindow: minutes,
  eventsBefore: z.int().min(0).nullish(),
})
export type StatusDetailsBody = z.output<typeof statusDetailsBody>

/** Body to change one or many issues. */
export const issueChangeBody = z.object({
  status: z
    .enum(['resolved', 'unresolved', 'ignored', 'archived', 'muted', 'resolvedInNextRelease'])
    .optional()
    .describe('ignored, archived and muted are the same.'),
  substatus: z.enum(substatuses).nullish(),
  statusDetails: statusDetailsBody.optional(),
  assignedTo: z.string().max(254).nullish(),
  priority: priority.nullish().describe('null: automatic again, from level and state.'),
  hasSeen: z.boolean().optional().describe('The caller’s own mark, like the next two. Viewers can set it.'),
  isBookmarked: z.boolean().optional(),
  isSubscribed: z.boolean().optional(),
  merge: z
    .union([z.boolean(), z.literal(1)])
    .optional()
    .describe('Merges several issues.'),
  discard: z.boolean().optional().describe('Deletes the issues and filters their later events.'),
  revision: revisionField,
})
export type IssueChangeBody = z.output<typeof issueChangeBody>
