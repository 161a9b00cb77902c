import type { Actor } from '../auth/auth.ts'
import type { Clock } from '../base/clock.ts'
import { handlesOf, mentionsIn } from '../domain/comment.ts'
import type { Activity, Issue } from '../store/meta/meta.ts'
import type { MetaWith } from '../store/meta/meta-store.ts'
import { type Announces, announceIssues } from './announce.ts'

type Deps = Announces & {
  meta: MetaWith<
    | 'people.people'
    | 'organizations.membersOf'
    | 'issues.subscribe'
    | 'issues.subscribersOf'
    | 'issues.addNotices'
    | 'issues.addComment'
    | 'issues.changeComment'
  >
  clock: Pick<Clock, 'now'>
}

/** Ids of the members that a text mentions. */
async function namedIn({ meta }: Deps, issue: Issue, text: string): Promise<string[]> {
  const handles = mentionsIn(text)
  if (handles.length === 0) return []
  const members = await meta.people.people(
    (await meta.organizations.membersOf(issue.organizationId)).map((member) => member.userId),
  )
  const byHandle = handlesOf(members)
  return [...new Set(handles.flatMap((handle) => byHandle.get(handle)?.id ?? []))]
}

/** Who gets a notice of a comment. `before`: whom it mentioned before a change; empty for a new comment. */
type Mentions = { named: readonly string[]; before: readonly string[] }

/** Notifies the members that a comment mentions and the followers of the issue, but not the author. Each once. */
async function notify(
  { meta, clock }: Deps,
  issue: Issue,
  actor: Actor,
  activity: Activity,
  { named, before }: Mentions,
): Promise<void> {
  const nowMs = clock.now()
  const mentioned = named.filter((item) => item !== actor.person.id && !before.includes(item))
  for (const userId of mentioned) await meta.issues.subscribe(issue.id, userId, true, 'mentioned', nowMs)
  const others = before.length > 0 ? [] : await meta.issues.subscribersOf(issue.id)
  const notices = [
    ...mentioned.map((userId) => ({ userId, kind: 'mention' as const })),
    ...others
      .filter((item) => item !== actor.person.id && !mentioned.includes(item))
      .map((userId) => ({ userId, kind: 'comment' as const })),
  ]
  if (notices.length > 0) await meta.issues.addNotices(notices, issue.id, activity.id, nowMs)
}

/** Adds a comment and notifies the mentioned members and the followers. */
export async function addComment(deps: Deps, actor: Actor, issue: Issue, text: string): Promise<Activity> {
  const { meta, clock } = deps
  const named = await namedIn(deps, issue, text)
  const nowMs = clock.now()
  const added = await meta.issues.addComment(issue.id, actor.person.id, text, nowMs, named)
  await meta.issues.subscribe(issue.id, actor.person.id, true, 'commented', nowMs)
  await notify(deps, issue, actor, added, { named, before: [] })
  announceIssues(deps, issue.organizationId, [issue.id])
  return added
}

/** Changes a comment of the caller. Only members mentioned for the first time get a notice. */
export async function updateComment(
  deps: Deps,
  actor: Actor,
  issue: Issue,
  old: Activity,
  text: string,
): Promise<Activity> {
  const named = await namedIn(deps, issue, text)
  const changed = await deps.meta.issues.changeComment(old.id, text, named, deps.clock.now())
  const before = Array.isArray(old.data.mentions) ? old.data.mentions.map(String) : []
  await notify(deps, issue, actor, changed, { named, before: [actor.person.id, ...before] })
  announceIssues(deps, issue.organizationId, [issue.id])
  return changed
}

/** Deletes a comment of an issue. */
export async function deleteComment(
  deps: Announces & { meta: MetaWith<'issues.deleteComment'> },
  issue: Issue,
  commentId: number,
): Promise<void> {
  await deps.meta.issues.deleteComment(commentId)
  announceIssues(deps, issue.organizationId, [issue.id])
}
