import { z } from 'zod'
import { MishapError } from '../../base/errors.ts'
import { filterAsync } from '../../base/sequence.ts'
import {
  type IssueChangeBody,
  issueChangeBody,
  type RestIssueChange,
  restBulk,
  restIssueChange,
} from '../../contract/issue-changes.ts'
import { restRemoval } from '../../contract/removals.ts'
import { undoBulk } from '../../operations/issue-changes.ts'
import { mergeIssues } from '../../operations/issue-merges.ts'
import { deleteIssues } from '../../operations/removals.ts'
import { issuesMatching } from '../../query/issues/issues.ts'
import type { Issue } from '../../store/meta/meta.ts'
import { revisionOf } from '../input.ts'
import { toRestRemoval } from '../people/removal-routes.ts'
import { type Answer, type Call, idOf, organizationOf, type Route, route, viewOf, viewQuery } from '../route.ts'
import { applyChange, toRestBulk } from './issue-change.ts'
import { actionOf } from './issue-input.ts'

const whichQuery = z.object({
  ...viewQuery,
  id: z
    .array(z.string().regex(/^\d{1,15}$/, 'A number.'))
    .max(1000)
    .describe('Id of an issue, repeated.'),
  query: z.string().max(5000).optional().describe('Instead of ids: every issue that matches the search.'),
})
type WhichCall<Body> = Call<z.output<typeof whichQuery>, Body>

/** Maximum issues of one change: enough for any backlog, and a limit on the work of one call. */
const issuesMax = 50_000
/** Each is deleted with its events from all stores. */
const deletesMax = 100
/** A merge is atomic: either all issues are merged, or none. */
const mergesMax = 1_000
const bulkWaitMs = 4_000

/** Returns the named or matching issues that allow the caller's `action`. Throws VALIDATION without ids and query. */
async function whichOf(
  call: WhichCall<unknown>,
  action: 'issue:own' | 'issue:triage' | 'issue:delete',
  max: number,
): Promise<Issue[]> {
  const { app, actor, found, query } = call
  const organization = organizationOf(found)
  if (query.id.length === 0 && query.query === undefined)
    throw new MishapError('VALIDATION', { fields: { id: ['Ids of issues, or a query.'] } })
  // Uses the same range as the list with these parameters, so that the change applies to the displayed issues.
  const search = { ...(await viewOf(call)), query: query.query ?? '', meUserId: actor.person.id }
  const issues =
    query.id.length > 0
      ? await app.meta.issues.issuesByIds([...new Set(query.id.map(Number))])
      : await issuesMatching(app, search, max)
  const allowed = new Map<number, boolean>()
  return filterAsync(issues, async (issue) => {
    if (issue.organizationId !== organization.id) return false
    if (found.project && found.project.id !== issue.projectId) return false
    const permitted = allowed.get(issue.projectId)
    if (permitted !== undefined) return permitted
    const project = await app.meta.projects.projectById(issue.projectId)
    const may = project !== undefined && (await app.auth.may(actor, action, { organization, project, issue })) === 'yes'
    allowed.set(issue.projectId, may)
    return may
  })
}

async function changeMany(call: WhichCall<IssueChangeBody>): Promise<Answer<RestIssueChange>> {
  const { app, actor, body, found, request, query } = call
  const organization = organizationOf(found)
  const action = actionOf(body)
  await app.auth.demand(actor, action, found.project ? { organization, project: found.project } : { organization })
  const revision = revisionOf(body, request)
  if (revision !== undefined && query.id.length !== 1)
    throw new MishapError('VALIDATION', { fields: { revision: ['Send a revision with one issue only.'] } })
  if (body.discard) {
    const removals = await deleteAll(call, 'discard')
    return { body: { updated: removals.flatMap((removal) => removal.issueId ?? []) } }
  }
  if (body.merge) {
    const issues = await whichOf(call, 'issue:triage', mergesMax + 1)
    // A partial merge would leave the other issues looking unrelated.
    if (issues.length > mergesMax)
      throw new MishapError('VALIDATION', {
        detail: `At most ${mergesMax} issues can be merged at once. Narrow the search, or merge in parts.`,
      })
    const { parent, children, activity } = await mergeIssues(app, actor, issues)
    const entry = activity === null ? null : String(activity)
    return { body: { merge: { parent: String(parent), children: children.map(String), activity: entry }, updated: [] } }
  }
  const issues = await whichOf(call, action, issuesMax)
  // A caller without ids cannot know which issues to revert, so the change is stored as a bulk.
  return { body: await applyChange(app, actor, issues, body, revision, query.id.length === 0 || undefined) }
}

async function deleteAll(call: WhichCall<unknown>, kind: 'issue' | 'discard') {
  const { app, actor, query } = call
  const issues = await whichOf(call, 'issue:delete', deletesMax + 1)
  // Report ids that must not be deleted as forbidden, and do not skip them silently.
  if (query.id.length > 0 && issues.length < new Set(query.id).size) {
    const readable = await whichOf(call, 'issue:triage', deletesMax + 1)
    throw new MishapError(readable.length > issues.length ? 'AUTH_FORBIDDEN' : 'NOT_FOUND')
  }
  if (issues.length > deletesMax)
    throw new MishapError('VALIDATION', {
      detail: `At most ${deletesMax} issues can be deleted at once. Archive them, or delete in parts.`,
    })
  return (await deleteIssues(app, actor, issues, kind, bulkWaitMs)).map(toRestRemoval)
}

const bulkOf = async ({ app, found, params }: Call<unknown, unknown>) => {
  const bulk = await app.meta.issues.bulkById(idOf(params.change))
  if (bulk?.organizationId !== organizationOf(found).id) throw new MishapError('NOT_FOUND')
  return bulk
}

/** Bulk changes: changes, deletions, progress and undo. */
export const bulkRoutes: readonly Route[] = [
  ...(['/organizations/:org/issues', '/projects/:org/:project/issues'] as const).flatMap((path, i): Route[] => [
    route({
      method: 'PUT',
      path,
      operationId: i === 0 ? 'updateIssues' : 'updateProjectIssues',
      summary: `Changes issues by id or all that match a search, or merges at most ${mergesMax}. From 50 issues on, this runs in the background: \`bulk\` has the progress. Viewers can set only their own marks.`,
      action: 'issue:own',
      query: whichQuery,
      body: issueChangeBody,
      response: restIssueChange,
      handle: changeMany,
    }),
    route({
      method: 'DELETE',
      path,
      operationId: i === 0 ? 'deleteIssues' : 'deleteProjectIssues',
      summary: `Deletes issues by id or all that match a search, at most ${deletesMax}.`,
      action: 'issue:delete',
      query: whichQuery,
      status: 202,
      response: z.array(restRemoval),
      handle: async (call) => ({ body: await deleteAll(call, 'issue'), status: 202 as const }),
    }),
  ]),
  route({
    method: 'GET',
    path: '/organizations/:org/issue-changes/:change',
    operationId: 'issueChangeProgress',
    summary: 'Progress of a bulk change. It is stored for a day.',
    action: 'issue:read',
    response: restBulk,
    handle: async (call) => ({ body: toRestBulk(await bulkOf(call)) }),
  }),
  route({
    method: 'POST',
    path: '/organizations/:org/issue-changes/:change/undo',
    operationId: 'issueChangeUndo',
    summary: 'Undoes a bulk change, except for issues that somebody changed since. 409 if it was already undone.',
    action: 'issue:triage',
    status: 202,
    response: restBulk,
    handle: async (call) => {
      const { app, actor } = call
      const bulk = await bulkOf(call)
      // Only the author can undo a bulk. Others make their own change.
      if (bulk.userId !== actor.person.id) throw new MishapError('AUTH_FORBIDDEN')
      return { body: toRestBulk(await undoBulk(app, bulk)), status: 202 as const }
    },
  }),
]
