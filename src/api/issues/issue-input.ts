import { MishapError } from '../../base/errors.ts'
import type { IssueChangeBody, StatusDetailsBody } from '../../contract/issue-changes.ts'
import { openSubstatuses, type StatusDetails } from '../../domain/issue-states.ts'
import type { App } from '../../processes/parts.ts'
import { latestReleases } from '../../query/latest.ts'
import type { IssueChange } from '../../store/meta/issues/triage.ts'
import type { Issue, Person } from '../../store/meta/meta.ts'

/** Personal fields of the caller. Their changes notify nobody else. */
const personalFields = ['hasSeen', 'isBookmarked', 'isSubscribed'] as const

/** Returns the permission for a change. A change of only personal fields is not triage. */
export function actionOf(body: IssueChangeBody): 'issue:own' | 'issue:triage' | 'issue:delete' {
  if (body.discard) return 'issue:delete'
  const { revision: _, ...fields } = body
  const named = Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : [name]))
  const isPersonal =
    named.length > 0 && named.every((name) => personalFields.some((personalField) => personalField === name))
  return isPersonal ? 'issue:own' : 'issue:triage'
}

const refuse = (field: string, sentence: string): never => {
  throw new MishapError('VALIDATION', { fields: { [field]: [sentence] } })
}

/** Resolves `assignedTo`: `user:ID`, an id, an e-mail or nothing. Throws VALIDATION for people who are not members. */
async function assigneeOf(app: App, organizationId: number, text: string | null): Promise<Person | null> {
  if (text === null || text === '') return null
  const name = text.replace(/^user:/, '')
  const person = (await app.auth.personByEmail(name)) ?? (await app.meta.people.personById(name))
  if (!person || !(await app.meta.organizations.memberOf(organizationId, person.id)))
    return refuse('assignedTo', 'No member of this organization has this e-mail address or id.')
  return person
}

function archivedDetails(details: StatusDetailsBody, nowMs: number): StatusDetails {
  const { ignoreDuration, ignoreUntil, ignoreCount, ignoreWindow, ignoreUserCount, ignoreUserWindow } = details
  const untilMs = ignoreDuration ? nowMs + ignoreDuration * 60_000 : ignoreUntil ? Date.parse(ignoreUntil) : undefined
  if (untilMs !== undefined && untilMs <= nowMs) refuse('statusDetails', 'ignoreUntil must be in the future.')
  if (ignoreWindow && !ignoreCount) refuse('statusDetails', 'ignoreWindow needs ignoreCount.')
  if (ignoreUserWindow && !ignoreUserCount) refuse('statusDetails', 'ignoreUserWindow needs ignoreUserCount.')
  return {
    ...(untilMs === undefined ? {} : { ignoreUntil: new Date(untilMs).toISOString() }),
    ...(ignoreCount ? { ignoreCount } : {}),
    ...(ignoreWindow ? { ignoreWindow } : {}),
    ...(ignoreUserCount ? { ignoreUserCount } : {}),
    ...(ignoreUserWindow ? { ignoreUserWindow } : {}),
    ...(ignoreCount && typeof details.eventsBefore === 'number' ? { eventsBefore: details.eventsBefore } : {}),
  }
}

/** Releases of the project of an issue: the latest one ('' for none), and the first one with a commit. */
type ReleaseLookup = {
  latest(): Promise<string>
  having(repository: string, commit: string): Promise<string | undefined>
}

/** Returns the details of a resolution for one issue. */
async function resolvedDetails(
  details: StatusDetailsBody,
  inNext: boolean,
  { latest, having }: ReleaseLookup,
): Promise<StatusDetails> {
  if (details.inCommit) {
    if (inNext) refuse('statusDetails', 'Either inCommit or inNextRelease.')
    const { repository, commit } = details.inCommit
    const inRelease = await having(repository, commit)
    return { ...(inRelease === undefined ? {} : { inRelease }), inCommit: { repository, commit } }
  }
  if (details.inRelease && inNext) refuse('statusDetails', 'Either inRelease or inNextRelease.')
  if (inNext) return { inNextRelease: true, afterRelease: details.afterRelease ?? (await latest()) }
  if (!details.inRelease) return {}
  const inRelease = details.inRelease === 'latest' ? await latest() : details.inRelease
  return inRelease === '' ? refuse('statusDetails', 'inRelease: this project has no release yet.') : { inRelease }
}

/** A parsed change: the new state of each issue, and the assignee. */
export type IssueChangePlan = { of(issue: Issue): Promise<IssueChange>; assignee: Person | null | undefined }

/** Parses a change of issues of one organization. Throws VALIDATION. */
export async function readChange(app: App, organizationId: number, body: IssueChangeBody): Promise<IssueChangePlan> {
  const nowMs = app.clock.now()
  const latest = new Map<number, string>()
  const latestOf = async (projectId: number): Promise<string> => {
    const latestRelease = latest.get(projectId) ?? (await latestReleases(app.meta, [projectId]))[0] ?? ''
    latest.set(projectId, latestRelease)
    return latestRelease
  }
  // All issues share one commit, so each project needs only one lookup.
  const having = new Map<number, string | undefined>()
  const havingOf = async (projectId: number, repository: string, commit: string): Promise<string | undefined> => {
    if (having.has(projectId)) return having.get(projectId)
    const versions = await app.meta.releases.versionsWithCommit(organizationId, repository, commit)
    const found = await Promise.all(versions.map((version) => app.meta.releases.releaseOf([projectId], version)))
    const releases = found.filter((release) => release !== undefined)
    const oldest = releases.toSorted((a, b) => a.createdMs - b.createdMs)[0]?.version
    having.set(projectId, oldest)
    return oldest
  }
  const releaseLookupOf = (projectId: number): ReleaseLookup => ({
    latest: () => latestOf(projectId),
    having: (repository, commit) => havingOf(projectId, repository, commit),
  })
  const assignee = body.assignedTo === undefined ? undefined : await assigneeOf(app, organizationId, body.assignedTo)
  const details = body.statusDetails ?? {}
  const inNext = body.status === 'resolvedInNextRelease' || details.inNextRelease === true
  const shared: IssueChange = {
    ...(assignee === undefined ? {} : { assigneeUserId: assignee?.id ?? null }),
    ...(body.priority === undefined ? {} : { priority: body.priority }),
  }
  const state = async (issue: Issue): Promise<IssueChange> => {
    switch (body.status) {
      case undefined:
        return {}
      case 'unresolved': {
        const substatus = openSubstatuses.find((openSubstatuse) => openSubstatuse === body.substatus) ?? 'ongoing'
        return { status: 'unresolved', substatus, statusDetails: {} }
      }
      case 'ignored':
      case 'muted':
      case 'archived': {
        const substatus = body.substatus?.startsWith('archived') ? body.substatus : 'archived_forever'
        return { status: 'ignored', substatus, statusDetails: archivedDetails(details, nowMs) }
      }
      default:
        return {
          status: 'resolved',
          statusDetails: await resolvedDetails(details, inNext, releaseLookupOf(issue.projectId)),
        }
    }
  }
  return { of: async (issue) => ({ ...(await state(issue)), ...shared }), assignee }
}
