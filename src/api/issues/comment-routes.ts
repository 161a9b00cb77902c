import { z } from 'zod'
import type { Actor } from '../../auth/auth.ts'
import { MishapError } from '../../base/errors.ts'
import { commentBody, restActivity } from '../../contract/issues.ts'
import { addComment, deleteComment, updateComment } from '../../operations/comments.ts'
import type { App } from '../../processes/parts.ts'
import { activityOf, toRestActivity } from '../../query/issues/issue.ts'
import type { Activity, Issue } from '../../store/meta/meta.ts'
import { issueOf, type Route, route } from '../route.ts'

/** Returns the caller's own comment on the issue. Throws NOT_FOUND, and AUTH_FORBIDDEN for another's comment. */
async function ownComment(app: App, actor: Actor, issue: Issue, id: string | undefined): Promise<Activity> {
  const found = await app.meta.issues.activityById(Number(id) || 0)
  if (found?.issueId !== issue.id || found.type !== 'note') throw new MishapError('NOT_FOUND')
  if (found.userId !== actor.person.id) throw new MishapError('AUTH_FORBIDDEN')
  return found
}

const commentRoutesOf = (path: string, id: (name: string) => string, word: 'notes' | 'comments'): Route[] => {
  const Word = word === 'notes' ? 'Note' : 'Comment'
  return [
    route({
      method: 'GET',
      path: `${path}/${word}`,
      operationId: id(`Issue${Word}s`),
      summary: 'Comments on an issue, newest first.',
      action: 'issue:read',
      response: z.array(restActivity),
      handle: async ({ app, found }) => ({
        body: (await activityOf(app, issueOf(found).id)).filter((row) => row.type === 'note'),
      }),
    }),
    route({
      method: 'POST',
      path: `${path}/${word}`,
      operationId: id(`IssueAdd${Word}`),
      summary: 'Comments on an issue, in Markdown. @name mentions and notifies a member.',
      action: 'issue:triage',
      body: commentBody,
      status: 201,
      response: restActivity,
      handle: async ({ app, actor, found, body }) => ({
        body: toRestActivity(await addComment(app, actor, issueOf(found), body.text), actor.person),
      }),
    }),
    route({
      method: 'PUT',
      path: `${path}/${word}/:note`,
      operationId: id(`IssueChange${Word}`),
      summary: 'Changes a comment of the caller. Only newly mentioned members are notified.',
      action: 'issue:triage',
      body: commentBody,
      response: restActivity,
      handle: async ({ app, actor, found, body, params }) => {
        const issue = issueOf(found)
        const old = await ownComment(app, actor, issue, params.note)
        return { body: toRestActivity(await updateComment(app, actor, issue, old, body.text), actor.person) }
      },
    }),
    route({
      method: 'DELETE',
      path: `${path}/${word}/:note`,
      operationId: id(`IssueDelete${Word}`),
      summary: 'Deletes a comment of the caller.',
      action: 'issue:triage',
      status: 204,
      response: z.undefined(),
      handle: async ({ app, actor, found, params }) => {
        const issue = issueOf(found)
        await deleteComment(app, issue, (await ownComment(app, actor, issue, params.note)).id)
        return { body: undefined, status: 204 }
      },
    }),
  ]
}

/** Comments on issues, under both path names. */
export const commentRoutes: readonly Route[] = ['/organizations/:org/issues/:issue', '/issues/:issue'].flatMap(
  (path, i): Route[] => {
    const id = (name: string) => (i === 0 ? `organization${name}` : name.slice(0, 1).toLowerCase() + name.slice(1))
    return [...commentRoutesOf(path, id, 'notes'), ...commentRoutesOf(path, id, 'comments')]
  },
)
