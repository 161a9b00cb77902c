import type { App } from '../app.ts'
import type { Actor } from '../auth/auth.ts'
import { MishapError } from '../errors.ts'
import type { Issue, Person } from '../store/meta/meta.ts'
import type { IssueChange } from './issue-routes.ts'

type Changed = {
  status?: Issue['status']
  substatus?: Issue['substatus']
  statusDetails?: Record<string, unknown>
  assignedTo?: { type: 'user'; id: string; name: string; email: string } | null
  hasSeen?: boolean
  updated: string[]
}

const substates = ['new', 'ongoing', 'escalating', 'regressed'] as const

/** Who is meant by `assignedTo`: `user:ID`, an id, an e-mail or nothing. Throws VALIDATION for somebody who is no member. */
function assigneeOf(app: App, organizationId: number, text: string | null): Person | null {
  if (text === null || text === '') return null
  const name = text.replace(/^user:/, '')
  const person = app.auth.personByEmail(name) ?? app.meta.personById(name)
  if (!person || !app.meta.memberOf(organizationId, person.id))
    throw new MishapError('VALIDATION', {
      fields: { assignedTo: ['Nobody in this organization has this e-mail address or id.'] },
    })
  return person
}

/**
 * Changes status and assignee of issues that the caller may triage, tells the listeners, returns what was set.
 * `hasSeen` is the caller's own. With `revision`, only issues that still have it are changed: throws CONFLICT otherwise.
 * A status set back restores the issue as it was when `substatus` names its old one (that is how undo works).
 */
export async function updateIssues(
  app: App,
  actor: Actor,
  issues: Issue[],
  change: IssueChange,
  revision?: number,
): Promise<Changed> {
  const made: Changed = { updated: [] }
  if (change.status !== undefined) {
    made.status =
      change.status === 'archived' ? 'ignored' : change.status === 'resolvedInNextRelease' ? 'resolved' : change.status
    made.substatus =
      made.status === 'unresolved' ? (substates.find((one) => one === change.substatus) ?? 'ongoing') : null
    made.statusDetails = change.statusDetails ?? {}
  }
  const organizationId = issues[0]?.organizationId
  if (change.assignedTo !== undefined && organizationId !== undefined) {
    const person = assigneeOf(app, organizationId, change.assignedTo)
    made.assignedTo = person ? { type: 'user', id: person.id, name: person.name, email: person.email } : null
  }
  if (change.hasSeen !== undefined) made.hasSeen = change.hasSeen
  const nowMs = app.clock.now()
  for (const issue of issues) {
    const { status, substatus, statusDetails, assignedTo } = made
    const state =
      status === undefined
        ? {}
        : {
            status,
            ...(substatus === undefined ? {} : { substatus }),
            ...(statusDetails === undefined ? {} : { statusDetails }),
          }
    const assignee = assignedTo === undefined ? {} : { assigneeUserId: assignedTo?.id ?? null }
    const { activityId } = app.meta.updateIssue(issue.id, { ...state, ...assignee }, actor.person.id, nowMs, revision)
    if (change.hasSeen !== undefined) app.meta.setSeen(issue.id, actor.person.id, change.hasSeen, nowMs)
    // What one person has seen is nobody else's business.
    if (activityId !== null) app.live.publish(issue.organizationId, { kind: 'issue', id: String(issue.id) })
    made.updated.push(String(issue.id))
  }
  return made
}
