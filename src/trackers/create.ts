import { MishapError } from '../base/errors.ts'
import type { Issue } from '../store/meta/meta.ts'
import type { MetaWith } from '../store/meta/meta-store.ts'
import type { ExternalIssue } from '../store/meta/trackers/external-issues.ts'
import type { Integration } from '../store/meta/trackers/integrations.ts'
import { failureWords, withTracker } from './connection.ts'
import { cut, issueText } from './text.ts'
import { type IssueText, type TrackerDeps, TrackerFailure } from './tracker.ts'

export type CreateDeps = TrackerDeps & {
  meta: MetaWith<
    | 'trackers.reserveExternal'
    | 'trackers.completeExternal'
    | 'trackers.failExternal'
    | 'projects.projectById'
    | 'organizations.organizationById'
  >
}

/**
 * `origin`: `rule-7` for a rule, and a new name for each creation by a person. `userId`: that person, null for a rule.
 * `text`: replaces the prefilled text.
 */
type CreateOptions = { origin: string; userId: string | null; text?: Partial<IssueText> | undefined }

/** How long another process may need for the same creation before it counts as dead. */
const creationMs = 60_000

/** The prefilled text of a tracker issue. Throws NOT_FOUND if the issue's project is gone. */
export async function draftOf(
  deps: Pick<TrackerDeps, 'url'> & { meta: MetaWith<'projects.projectById' | 'organizations.organizationById'> },
  integration: Pick<Integration, 'kind'>,
  issue: Issue,
): Promise<IssueText> {
  const project = await deps.meta.projects.projectById(issue.projectId)
  const organization = await deps.meta.organizations.organizationById(issue.organizationId)
  if (!project || !organization) throw new MishapError('NOT_FOUND')
  return issueText({ url: deps.url, organization, project, issue }, integration.kind)
}

/**
 * Creates an issue in a tracker and links it. The same origin gives the same link: a rule that fires again gets the
 * tracker issue that exists. The link is stored before the call, so that two processes cannot create two; after a kill
 * between the call and its answer, the next call creates a second issue. Throws TrackerFailure, CONFLICT while another
 * creation runs, OUTGOING_*.
 */
export async function createTrackerIssue(
  deps: CreateDeps,
  integration: Integration,
  issue: Issue,
  { origin, userId, text = {} }: CreateOptions,
): Promise<ExternalIssue> {
  const { meta, clock } = deps
  if (integration.refusedMs !== null) throw refusal(integration)
  const nowMs = clock.now()
  const reserved = { integrationId: integration.id, issueId: issue.id, origin, createdBy: userId }
  const { link, isNew } = await meta.trackers.reserveExternal(reserved, nowMs)
  if (link.externalId !== '') return link
  if (!isNew && link.error === '' && nowMs - link.createdMs < creationMs)
    throw new MishapError('CONFLICT', { detail: 'This tracker issue is being created.' })
  try {
    return await fillLink(deps, integration, issue, link, text)
  } catch (error) {
    await meta.trackers.failExternal(link.id, failureWords(error), 0)
    throw error
  }
}

const refusal = ({ lastError }: Integration) => new TrackerFailure('token', lastError)

type FillDeps = TrackerDeps & {
  meta: MetaWith<'trackers.completeExternal' | 'projects.projectById' | 'organizations.organizationById'>
}

/** Creates the tracker issue of a link that a decision stored. Throws TrackerFailure, OUTGOING_*. */
export async function fillLink(
  deps: FillDeps,
  integration: Integration,
  issue: Issue,
  link: Pick<ExternalIssue, 'id'>,
  text: Partial<IssueText> = {},
): Promise<ExternalIssue> {
  if (integration.refusedMs !== null) throw refusal(integration)
  const draft = await draftOf(deps, integration, issue)
  const created = await withTracker(deps, integration, (tracker) => tracker.create(cut({ ...draft, ...text })))
  return deps.meta.trackers.completeExternal(link.id, created)
}
