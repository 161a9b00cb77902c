import { z } from 'zod'
import { MishapError } from '../../base/errors.ts'
import { type RestRemoval, restRemoval, restTombstone } from '../../contract/removals.ts'
import { removeTombstone } from '../../operations/project-settings.ts'
import { deleteIssues, deleteOrganization, deleteProject } from '../../operations/removals.ts'
import { tombstonesOf } from '../../query/issues/tombstones.ts'
import type { Removal } from '../../store/meta/retention/removals.ts'
import type { Call, Route } from '../route.ts'
import { idOf, issueOf, organizationOf, projectOf, route } from '../route.ts'

/** Maximum removals in the list. */
const listMax = 100
/** Small removals complete within this time. The answer has the progress. */
const removalWaitMs = 2000

/** Returns the API form of a removal. */
export function toRestRemoval(removal: Removal): RestRemoval {
  return {
    id: String(removal.id),
    kind: removal.kind,
    title: removal.title,
    projectId: removal.kind === 'organization' ? null : String(removal.projectId),
    issueId: removal.issueId === null ? null : String(removal.issueId),
    stage: removal.stage,
    events: removal.events,
    files: removal.blobs,
    error: removal.error,
    dateCreated: new Date(removal.createdMs).toISOString(),
    dateEnded: removal.endedMs === null ? null : new Date(removal.endedMs).toISOString(),
  }
}

/**
 * Requests deletion of the issue in the path and waits briefly. Throws CONFLICT for the name of an issue that was
 * merged into another issue, and NOT_FOUND.
 */
export async function removeIssue(call: Call<unknown, unknown>, kind: 'issue' | 'discard'): Promise<RestRemoval> {
  const { app, actor, found, params } = call
  const issue = issueOf(found)
  const { id: issueId, shortId } = issue
  // The name of a merged issue leads to its target. That is for reading, not for deleting.
  const issueRef = params.issue?.toUpperCase()
  if (issueRef !== String(issueId) && issueRef !== shortId.toUpperCase())
    throw new MishapError('CONFLICT', {
      detail: `${params.issue} was merged into ${shortId}. Delete ${shortId} instead.`,
      current: { id: String(issueId), shortId },
    })
  const [removal] = await deleteIssues(app, actor, [issue], kind, removalWaitMs)
  if (!removal) throw new MishapError('NOT_FOUND')
  return toRestRemoval(removal)
}

const discardQuery = z.object({
  discard: z.enum(['0', '1']).optional().describe('1: later events with its fingerprints are filtered, too.'),
})
const P = '/projects/:org/:project'

/** Deletion of issues and projects in all stores, and the filters of discarded issues. */
export const removalRoutes: readonly Route[] = [
  ...['/organizations/:org/issues/:issue', '/issues/:issue'].map((path, i) =>
    route({
      method: 'DELETE',
      path,
      operationId: i === 0 ? 'organizationIssueDelete' : 'issueDelete',
      summary: 'Deletes an issue with its events, files and feedback. The response has the progress.',
      action: 'issue:delete',
      query: discardQuery,
      status: 202,
      response: restRemoval,
      handle: async (call) => ({
        body: await removeIssue(call, call.query.discard === '1' ? 'discard' : 'issue'),
        status: 202 as const,
      }),
    }),
  ),
  route({
    method: 'DELETE',
    path: P,
    operationId: 'deleteProject',
    summary: 'Deletes a project with all its data. Its keys stop working at once. The response has the progress.',
    action: 'project:delete',
    status: 202,
    response: restRemoval,
    handle: async ({ app, actor, found }) => {
      const removal = await deleteProject(app, actor, projectOf(found).id, removalWaitMs)
      if (!removal) throw new MishapError('NOT_FOUND')
      return { body: toRestRemoval(removal), status: 202 }
    },
  }),
  route({
    method: 'DELETE',
    path: '/organizations/:org',
    operationId: 'deleteOrganization',
    summary:
      'Deletes an organization with its projects, members, tokens and all their data. Owners only. Keys stop working at once. The response has the progress.',
    action: 'organization:delete',
    status: 202,
    response: restRemoval,
    handle: async ({ app, actor, found }) => {
      const removal = await deleteOrganization(app, actor, organizationOf(found).id, removalWaitMs)
      if (!removal) throw new MishapError('NOT_FOUND')
      return { body: toRestRemoval(removal), status: 202 }
    },
  }),
  route({
    method: 'GET',
    path: '/users/me/removals',
    operationId: 'listOwnRemovals',
    summary: 'Organizations that the caller deleted, newest first.',
    action: 'signed-in',
    response: z.array(restRemoval),
    handle: async ({ app, actor }) => {
      // A token of an organization has no removals of its own.
      if (actor.kind === 'token' && actor.ofOrganization) throw new MishapError('AUTH_FORBIDDEN')
      return { body: (await app.meta.retention.organizationRemovalsBy(actor.person.id, listMax)).map(toRestRemoval) }
    },
  }),
  route({
    method: 'GET',
    path: '/organizations/:org/removals',
    operationId: 'listRemovals',
    summary: 'Deletions, newest first: the number of events and files, and when every store was checked again.',
    action: 'organization:read',
    response: z.array(restRemoval),
    handle: async ({ app, found }) => ({
      body: (await app.meta.retention.removalsOf(organizationOf(found).id, listMax)).map(toRestRemoval),
    }),
  }),
  route({
    method: 'GET',
    path: '/organizations/:org/removals/:removal',
    operationId: 'removal',
    summary: 'One deletion and its progress.',
    action: 'organization:read',
    response: restRemoval,
    handle: async ({ app, found, params }) => {
      const removal = await app.meta.retention.removalById(idOf(params.removal))
      if (removal?.organizationId !== organizationOf(found).id) throw new MishapError('NOT_FOUND')
      return { body: toRestRemoval(removal) }
    },
  }),
  route({
    method: 'GET',
    path: `${P}/tombstones`,
    operationId: 'listTombstones',
    summary: 'Issues that were deleted for good, newest first. Events with their fingerprints are filtered.',
    action: 'project:read',
    response: z.array(restTombstone),
    handle: async ({ app, found }) => ({ body: await tombstonesOf(app.meta, projectOf(found).id) }),
  }),
  route({
    method: 'DELETE',
    path: `${P}/tombstones/:tombstone`,
    operationId: 'deleteTombstone',
    summary: 'Removes the filter of a deleted issue, by its short id. Its fingerprints create an issue again.',
    action: 'issue:delete',
    status: 204,
    response: z.undefined(),
    handle: async ({ app, found, params }) => {
      await removeTombstone(app, projectOf(found).id, params.tombstone ?? '')
      return { body: undefined, status: 204 }
    },
  }),
]
