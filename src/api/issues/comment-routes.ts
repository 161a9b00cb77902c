import { z } from 'zod'
import type { Actor } from '../../auth/auth.ts'
import { MishapError } from '../../base/errors.ts'
import { commentBody, restActivity } from '../../contract/issues.ts'
import { handlesOf, mentionsIn } from '../../domain/comment.ts'
import type { App } from '../../processes/app.ts'
import { activityOf, toRestActivity } from '../../query/issue.ts'
import type { Activity, Issue } from '../../store/meta/meta.ts'
import { issueOf, type Route, route } from '../route.ts'

/** Members whom a text names. */
function namedIn(app: App, issue: Issue, text: string): string[] {
  const handles = mentionsIn(text)
  if (handles.length === 0) return []
  const members = app.meta.people(app.meta.membersOf(issue.organizationId).map((member) => member.userId))
  const known = handlesOf(members)
  return [...new Set(handles.flatMap((handle) => known.get(handle)?.id ?? []))]
}

/** Who is told of a comment: whom it names and who follows the issue, but not its writer. Each once. */
function tell(
  app: App,
  issue: Issue,
  actor: Actor,
  activity: Activity,
  named: readonly string[],
  before: readonly string[],
) {
  const { meta, clock } = app
  const nowMs = clock.now()
  const fresh = named.filter((item) => item !== actor.person.id && !before.includes(item))
  for (const userId of fresh) meta.subscribe(issue.id, userId, true, 'mentioned', nowMs)
  const others = before.length > 0 ? [] : meta.subscribersOf(issue.id)
  const notices = [
    ...fresh.map((userId) => ({ userId, kind: 'mention' as const })),
    ...others
      .filter((item) => item !== actor.person.id && !fresh.includes(item))
      .map((userId) => ({ userId, kind: 'comment' as const })),
  ]
  if (notices.length > 0) meta.addNotices(notices, issue.id, activity.id, nowMs)
}

/** Adds a comment and tells whom it concerns. Throws VALIDATION. */
export function comment(app: App, actor: Actor, issue: Issue, text: string): Activity {
  const named = namedIn(app, issue, text)
  const nowMs = app.clock.now()
  const added = app.meta.addComment(issue.id, actor.person.id, text, nowMs, named)
  app.meta.subscribe(issue.id, actor.person.id, true, 'commented', nowMs)
  tell(app, issue, actor, added, named, [])
  app.live.publish(issue.organizationId, { kind: 'issue', id: String(issue.id) })
  return added
}

/** The caller's own comment on the issue. Throws NOT_FOUND, AUTH_FORBIDDEN for somebody else's. */
function ownComment(app: App, actor: Actor, issue: Issue, id: string | undefined): Activity {
  const found = app.meta.activityById(Number(id) || 0)
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
      handle: ({ app, found }) => ({
        body: activityOf(app, issueOf(found).id).filter((row) => row.type === 'note'),
      }),
    }),
    route({
      method: 'POST',
      path: `${path}/${word}`,
      operationId: id(`IssueAdd${Word}`),
      summary: 'Comment on an issue, in Markdown; @name names a member, who is told.',
      action: 'issue:triage',
      body: commentBody,
      status: 201,
      response: restActivity,
      handle: ({ app, actor, found, body }) => ({
        body: toRestActivity(comment(app, actor, issueOf(found), body.text), actor.person),
      }),
    }),
    route({
      method: 'PUT',
      path: `${path}/${word}/:note`,
      operationId: id(`IssueChange${Word}`),
      summary: 'Change an own comment. Only who is named now and was not before is told.',
      action: 'issue:triage',
      body: commentBody,
      response: restActivity,
      handle: ({ app, actor, found, body, params }) => {
        const issue = issueOf(found)
        const old = ownComment(app, actor, issue, params.note)
        const named = namedIn(app, issue, body.text)
        const changed = app.meta.changeComment(old.id, body.text, named, app.clock.now())
        const before = Array.isArray(old.data.mentions) ? old.data.mentions.map(String) : []
        tell(app, issue, actor, changed, named, [actor.person.id, ...before])
        app.live.publish(issue.organizationId, { kind: 'issue', id: String(issue.id) })
        return { body: toRestActivity(changed, actor.person) }
      },
    }),
    route({
      method: 'DELETE',
      path: `${path}/${word}/:note`,
      operationId: id(`IssueDelete${Word}`),
      summary: 'Delete an own comment.',
      action: 'issue:triage',
      status: 204,
      response: z.undefined(),
      handle: ({ app, actor, found, params }) => {
        const issue = issueOf(found)
        app.meta.deleteComment(ownComment(app, actor, issue, params.note).id)
        app.live.publish(issue.organizationId, { kind: 'issue', id: String(issue.id) })
        return { body: undefined, status: 204 }
      },
    }),
  ]
}

/** What people say on issues, under both of its names. */
export const commentRoutes: readonly Route[] = ['/organizations/:org/issues/:issue', '/issues/:issue'].flatMap(
  (path, i): Route[] => {
    const id = (name: string) => (i === 0 ? `organization${name}` : name.slice(0, 1).toLowerCase() + name.slice(1))
    return [...commentRoutesOf(path, id, 'notes'), ...commentRoutesOf(path, id, 'comments')]
  },
)
