import { z } from 'zod'
import { MishapError } from '../../base/errors.ts'
import {
  type GroupingPreviewBody,
  groupingPreviewBody,
  restGroupingInfo,
  restGroupingPreview,
  restIssueHash,
  restMergeUndo,
  restSimilarIssue,
  restUnmerge,
} from '../../contract/grouping.ts'
import { ruleSentence } from '../../domain/alerts/rule-text.ts'
import { readFingerprintRules } from '../../domain/fingerprint-rules.ts'
import { groupingVersionOf } from '../../domain/grouping.ts'
import { readStackRules } from '../../domain/stack-rules.ts'
import { undoMerge, unmergeIssue } from '../../operations/issue-merges.ts'
import { eventById } from '../../query/events.ts'
import { groupingInfoOf, issueHashesOf, issueName, previewOf, similarTo } from '../../query/issues/grouping.ts'
import type { Route } from '../route.ts'
import { issueOf, organizationOf, projectOf, route } from '../route.ts'

const P = '/projects/:org/:project'
const hash = z.string().regex(/^[0-9a-f]{16}$/, 'A hash of 16 hexadecimal characters.')

/** Throws VALIDATION with the errors of each field. */
function demandReadable({ fingerprintingRules = '', groupingEnhancements = '' }: GroupingPreviewBody): void {
  const fields = {
    fingerprintingRules: readFingerprintRules(fingerprintingRules).errors.map(ruleSentence),
    groupingEnhancements: readStackRules(groupingEnhancements).errors.map(ruleSentence),
  }
  const wrong = Object.entries(fields).filter(([, sentences]) => sentences.length > 0)
  const [first] = wrong.flatMap(([, sentences]) => sentences)
  if (first !== undefined) throw new MishapError('VALIDATION', { detail: first, fields: Object.fromEntries(wrong) })
}

/** Operation ids differ between the two addresses of an issue. */
type NameOf = (name: string) => string

const issueRoutesOf = (path: string, id: NameOf): Route[] => [
  route({
    method: 'GET',
    path: `${path}/hashes`,
    operationId: id('IssueHashes'),
    summary: 'Hashes of an issue, those with the most events first.',
    action: 'issue:read',
    response: z.array(restIssueHash),
    handle: async ({ app, found }) => ({ body: await issueHashesOf(app, issueOf(found)) }),
  }),
  route({
    method: 'DELETE',
    path: `${path}/hashes`,
    operationId: id('IssueUnmerge'),
    summary:
      'Splits hashes off an issue. Their events become a separate issue, or return to the merged issue that they came from.',
    action: 'issue:triage',
    query: z.object({ id: z.array(hash).min(1, 'At least one hash.').max(500).describe('A hash, repeated.') }),
    response: restUnmerge,
    handle: async ({ app, actor, found, query }) => {
      const { issue, created, events } = await unmergeIssue(app, actor, issueOf(found).id, query.id)
      return { body: { issue: issueName(issue), made: created && issueName(created), events } }
    },
  }),
  route({
    method: 'POST',
    path: `${path}/merges/:activity/undo`,
    operationId: id('IssueMergeUndo'),
    summary:
      'Undoes a merge of at most 20 issues: each gets its events, short id, state and comments back. `activity` is the id of the merge in the activity of the issue.',
    action: 'issue:triage',
    response: restMergeUndo,
    handle: async ({ app, actor, found, params }) => {
      const activityId = /^\d{1,15}$/.test(params.activity ?? '') ? Number(params.activity) : 0
      const { issue, restored } = await undoMerge(app, actor, issueOf(found), activityId)
      return { body: { issue: issueName(issue), restored: restored.map(issueName) } }
    },
  }),
  route({
    method: 'GET',
    path: `${path}/similar`,
    operationId: id('IssueSimilar'),
    summary: 'The most similar issues of the same project, by stack and message of their newest events.',
    action: 'issue:read',
    response: z.array(restSimilarIssue),
    handle: async ({ app, found }) => ({ body: await similarTo(app, issueOf(found)) }),
  }),
]

/** Grouping of events, and its settings. */
export const groupingRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: `${P}/events/:event/grouping-info`,
    operationId: 'eventGroupingInfo',
    summary: 'How the current rules group an event: each variant as a tree, with the counted parts and reasons.',
    action: 'event:read',
    response: restGroupingInfo,
    handle: async ({ app, found, params }) => {
      const event = await eventById(app, [projectOf(found).id], params.event ?? '')
      if (!event) throw new MishapError('NOT_FOUND')
      return { body: await groupingInfoOf(app, event.row) }
    },
  }),
  route({
    method: 'POST',
    path: `${P}/grouping-preview`,
    operationId: 'groupingPreview',
    summary:
      'Which of the project’s newest 100 events would belong to another issue with these rules and this version. Changes nothing.',
    action: 'project:write',
    body: groupingPreviewBody,
    response: restGroupingPreview,
    handle: async ({ app, actor, found, body }) => {
      // The answer contains events and their issues, which a project token might not be allowed to read.
      await app.auth.demand(actor, 'event:read', { organization: organizationOf(found), project: projectOf(found) })
      demandReadable(body)
      const { fingerprintingRules: fingerprintRules, groupingEnhancements: stackRules, groupingConfig: config } = body
      const update = {
        ...(fingerprintRules === undefined ? {} : { fingerprintRules }),
        ...(stackRules === undefined ? {} : { stackRules }),
        ...(config === undefined ? {} : { version: groupingVersionOf(config) }),
      }
      return { body: await previewOf(app, projectOf(found), update) }
    },
  }),
  ...['/organizations/:org/issues/:issue', '/issues/:issue'].flatMap((path, i): Route[] =>
    issueRoutesOf(path, (name) => (i === 0 ? `organization${name}` : name.slice(0, 1).toLowerCase() + name.slice(1))),
  ),
]
