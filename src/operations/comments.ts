import type { Actor } from '../auth/auth.ts'
import type { Clock } from '../base/clock.ts'
import { handlesOf, mentionsIn } from '../domain/comment.ts'
import type { Activity, Issue } from '../store/meta/meta.ts'
import type { MetaStore } from '../store/meta/meta-store.ts'
import { type Announces, announceIssues } from './announce.ts'

type Parts = Announces & {
  meta: Pick<
    MetaStore,
    'people' | 'membersOf' | 'subscribe' | 'subscribersOf' | 'addNotices' | 'addComment' | 'changeComment'
  >
  clock: Pick<Clock, 'now'>
}

/** Ids of the members that a text mentions. */
function namedIn({ meta }: Parts, issue: Issue, text: string): string[] {
  const handles = mentionsIn(text)
  if (handles.length === 0) return []
  const members = meta.people(meta.membersOf(issue.organizationId).map((member) => member.userId))
  const known = handlesOf(members)
  return [...new Set(handles.flatMap((handle) => known.get(handle)?.id ?? []))]
}

/** Who gets a notice of a comment. `before`: whom it mentioned before a change; empty for a new comment. */
type Told = { named: readonly string[]; before: readonly string[] }

/** Notifies the members that a comment mentions and the followers of the issue, but not the author. Each once. */
function notify({ meta, clock }: Parts, issue: Issue, actor: Actor, activity: Activity, { named, before }: Told): void {
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

/** Adds a comment and notifies the mentioned members and the followers. */
export function addComment(parts: Parts, actor: Actor, issue: Issue, text: string): Activity {
  const { meta, clock } = parts
  const named = namedIn(parts, issue, text)
  const nowMs = clock.now()
  const added = meta.addComment(issue.id, actor.person.id, text, nowMs, named)
  meta.subscribe(issue.id, actor.person.id, true, 'commented', nowMs)
  notify(parts, issue, actor, added, { named, before: [] })
  announceIssues(parts, issue.organizationId, [issue.id])
  return added
}

/** Changes a comment of the caller. Only members mentioned for the first time get a notice. */
export function updateComment(parts: Parts, actor: Actor, issue: Issue, old: Activity, text: string): Activity {
  const named = namedIn(parts, issue, text)
  const changed = parts.meta.changeComment(old.id, text, named, parts.clock.now())
  const before = Array.isArray(old.data.mentions) ? old.data.mentions.map(String) : []
  notify(parts, issue, actor, changed, { named, before: [actor.person.id, ...before] })
  announceIssues(parts, issue.organizationId, [issue.id])
  return changed
}

/** Deletes a comment of an issue. */
export function deleteComment(
  parts: Announces & { meta: Pick<MetaStore, 'deleteComment'> },
  issue: Issue,
  commentId: number,
): void {
  parts.meta.deleteComment(commentId)
  announceIssues(parts, issue.organizationId, [issue.id])
}
