import type { Seal } from '../auth/seal.ts'
import type { Clock } from '../base/clock.ts'
import type { HookOutcome, TrackerState } from '../domain/alerts/trackers.ts'
import type { MetaWith } from '../store/meta/meta-store.ts'
import type { ExternalIssue } from '../store/meta/trackers/external-issues.ts'
import type { Integration } from '../store/meta/trackers/integrations.ts'
import { deliveryId, type HookEvent, hookEvents } from '../trackers/delivery.ts'
import { checkSignature, isRecent } from '../trackers/signature.ts'
import { commentMark } from '../trackers/text.ts'
import { type Announces, announceIssues } from './announce.ts'
import { newFixes, resolveFixed } from './commit-fixes.ts'
import type { HookCalls } from './hook-calls.ts'

type Deps = Announces & {
  clock: Pick<Clock, 'now'>
  seal: Seal
  hookCalls: Pick<HookCalls, 'count'>
  meta: MetaWith<
    | 'trackers.isDelivered'
    | 'trackers.addDelivery'
    | 'trackers.externalLinksOf'
    | 'trackers.takePush'
    | 'trackers.settleExternal'
    | 'issues.issueById'
    | 'issues.issueByShortId'
    | 'issues.updateIssue'
    | 'trackers.copyComment'
    | 'projects.projectsOf'
    | 'releases.addPushed'
    | 'releases.releaseOf'
    | 'releases.versionsWithCommit'
  >
}

/** How long after our own call its webhook is recognized. Services retry a delivery for some minutes. */
const echoMs = 15 * 60_000
const commentCharactersMax = 8_000

/** Resolves or reopens an issue as its tracker issue was. Returns whether it changed. */
async function follow(deps: Deps, link: ExternalIssue, state: TrackerState): Promise<boolean> {
  const { meta, clock } = deps
  const issue = await meta.issues.issueById(link.issueId)
  const isClosed = issue?.status === 'resolved'
  if (!issue || (state === 'closed') === isClosed || (state === 'open' && issue.status === 'ignored')) return false
  const change =
    state === 'closed'
      ? ({ status: 'resolved', substatus: null, statusDetails: {} } as const)
      : ({ status: 'unresolved', substatus: 'ongoing', statusDetails: {} } as const)
  const why = { reason: 'tracker', tracker: link.key, trackerUrl: link.url }
  const { activityId } = await meta.issues.updateIssue(issue.id, change, null, clock.now(), undefined, why)
  if (activityId !== null) announceIssues(deps, issue.organizationId, [issue.id])
  return activityId !== null
}

type EventOf<Type extends HookEvent['type']> = Extract<HookEvent, { type: Type }>

async function applyState(deps: Deps, integration: Integration, event: EventOf<'state'>): Promise<boolean> {
  const { meta, clock } = deps
  const { externalId, state } = event
  const links = await meta.trackers.externalLinksOf(integration.id, externalId)
  if (links.length === 0) return false
  const isOurs = event.actorId !== '' && event.actorId === integration.accountId
  // Our own call. The job that made it stores the state; a late echo must not undo a newer change.
  if (isOurs && (await meta.trackers.takePush(integration.id, externalId, state, clock.now() - echoMs))) return false
  let hasChanged = false
  if (integration.syncState) for (const link of links) hasChanged = (await follow(deps, link, state)) || hasChanged
  // After the issues: a kill in between leaves a state that the job sends again, and the tracker has it already.
  await meta.trackers.settleExternal(integration.id, externalId, state)
  return hasChanged || !integration.syncState
}

async function applyComment(deps: Deps, integration: Integration, event: EventOf<'comment'>): Promise<boolean> {
  const { meta, clock } = deps
  if (!integration.syncComments || event.commentId === '' || event.text.trim() === '') return false
  const links = await meta.trackers.externalLinksOf(integration.id, event.externalId)
  if (links.length === 0) return false
  const isOurs = event.actorId === integration.accountId && event.text.startsWith(commentMark)
  if (isOurs) return false
  const text = event.text.slice(0, commentCharactersMax)
  const comments = links.map(({ issueId, key, url }) => ({
    issueId,
    text,
    more: { tracker: key, trackerAuthor: event.author, trackerUrl: url },
  }))
  if (!(await meta.trackers.copyComment(integration.id, event.commentId, comments, clock.now()))) return false
  announceIssues(
    deps,
    integration.organizationId,
    links.map(({ issueId }) => issueId),
  )
  return true
}

/**
 * Stores the commits of a push or a merged request. On the default branch they resolve the issues that they fix, until a
 * release has the commit. Other branches may never be released.
 */
async function applyCommits(deps: Deps, integration: Integration, event: EventOf<'commits'>): Promise<boolean> {
  const { meta, clock } = deps
  const { organizationId, id: integrationId } = integration
  const { repository, url, commits } = event
  if (commits.length === 0) return false
  await meta.releases.addPushed({ organizationId, integrationId, repository, url }, commits, clock.now())
  if (!event.isDefault) return true
  const fixes = await newFixes(deps, organizationId, commits)
  if (fixes.length > 0)
    await resolveFixed(deps, { organizationId, version: '' }, await meta.projects.projectsOf(organizationId), fixes)
  return true
}

async function apply(deps: Deps, integration: Integration, event: HookEvent): Promise<boolean> {
  if (event.type === 'state') return applyState(deps, integration, event)
  if (event.type === 'comment') return applyComment(deps, integration, event)
  return applyCommits(deps, integration, event)
}

function parsed(body: Uint8Array): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(body))
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined
  } catch {
    return undefined
  }
}

function secretOf({ seal }: Deps, integration: Integration): string {
  try {
    return seal.open(integration.sealedSecret)
  } catch {
    // The secrets of the data folder have changed: nothing can be proved until a person enters a new secret.
    return ''
  }
}

async function outcomeOf(
  deps: Deps,
  integration: Integration,
  headers: Headers,
  body: Uint8Array,
): Promise<HookOutcome> {
  const { meta, clock } = deps
  const signature = checkSignature(integration.kind, secretOf(deps, integration), headers, body)
  if (signature !== 'ok') return signature
  const payload = parsed(body)
  if (!payload) return 'invalid'
  if (!isRecent(integration.kind, payload, clock.now())) return 'bad_signature'
  const delivery = deliveryId(integration.kind, headers, body)
  if (await meta.trackers.isDelivered(integration.id, delivery)) return 'repeated'
  let isApplied = false
  for (const event of hookEvents(integration, headers, payload, clock.now()))
    isApplied = (await apply(deps, integration, event)) || isApplied
  // Noted last: if this fails, the service sends the delivery again. Each part can be applied twice.
  await meta.trackers.addDelivery(integration.id, delivery, clock.now())
  return isApplied ? 'accepted' : 'ignored'
}

/** Handles a delivery and counts its outcome. `body`: the bytes as they came. */
export async function receiveHook(
  deps: Deps,
  integration: Integration,
  headers: Headers,
  body: Uint8Array,
): Promise<HookOutcome> {
  const outcome = await outcomeOf(deps, integration, headers, body)
  deps.hookCalls.count(integration.id, outcome)
  return outcome
}
