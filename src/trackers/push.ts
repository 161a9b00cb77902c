import { faultOf } from '../base/observe.ts'
import type { MetaWith } from '../store/meta/meta-store.ts'
import type { DueComment, DueLink, ExternalIssue } from '../store/meta/trackers/external-issues.ts'
import { failureWords, withTracker } from './connection.ts'
import { fillLink } from './create.ts'
import { commentText } from './text.ts'
import { type TrackerDeps, TrackerFailure } from './tracker.ts'

type PushDeps = TrackerDeps & {
  meta: MetaWith<
    | 'trackers.integrationById'
    | 'trackers.hasExternal'
    | 'trackers.linksDueBy'
    | 'trackers.commentsDueBy'
    | 'trackers.externalLinksOf'
    | 'trackers.notePush'
    | 'trackers.settleExternal'
    | 'trackers.settleComment'
    | 'trackers.failExternal'
    | 'trackers.addDelivery'
    | 'trackers.completeExternal'
    | 'trackers.ruleIssuesDueBy'
    | 'trackers.noteRuleIssue'
    | 'projects.projectById'
    | 'organizations.organizationById'
    | 'issues.issueById'
    | 'people.people'
  >
}

/** Pauses after each failed attempt. The last one repeats, so a link is never given up: a person sees its error. */
const pushPausesMs = [10_000, 60_000, 600_000, 3_600_000, 6 * 3_600_000] as const
const linksMax = 50

/** The words of a failure. A mistake of ours is about this link alone, too: the others must go on. */
function wordsFor({ observe }: PushDeps, link: ExternalIssue, error: unknown): string {
  try {
    return failureWords(error)
  } catch {
    observe.error({ link: link.id, error: faultOf(error) }, 'a tracker issue could not be handled')
    return 'Mishap could not handle this tracker issue. The log of the server says why.'
  }
}

async function failed(deps: PushDeps, link: ExternalIssue, error: unknown): Promise<string> {
  const words = wordsFor(deps, link, error)
  const pauseMs = pushPausesMs[Math.min(link.attempts, pushPausesMs.length - 1)] ?? pushPausesMs[0]
  const asked = error instanceof TrackerFailure ? (error.retryAfterMs ?? 0) : 0
  await deps.meta.trackers.failExternal(link.id, words, deps.clock.now() + Math.max(pauseMs, asked))
  return words
}

/** Whether another issue of the same tracker issue is still open. Then it stays open there. */
async function hasOpenSibling({ meta }: PushDeps, { link }: DueLink): Promise<boolean> {
  for (const other of await meta.trackers.externalLinksOf(link.integrationId, link.externalId)) {
    if (other.id === link.id) continue
    const issue = await meta.issues.issueById(other.issueId)
    if (issue && issue.status !== 'resolved') return true
  }
  return false
}

/**
 * Reads a due link again: calls of others took seconds, in which a person may have changed the issue, or a sibling was
 * settled. Undefined if nothing is left to send.
 */
async function currentOf({ meta }: PushDeps, { link }: DueLink): Promise<DueLink | undefined> {
  const links = await meta.trackers.externalLinksOf(link.integrationId, link.externalId)
  const current = links.find(({ id }) => id === link.id)
  const issue = current && (await meta.issues.issueById(current.issueId))
  // An archived issue says nothing about the tracker's.
  if (!issue || issue.status === 'ignored') return undefined
  return { link: current, wanted: issue.status === 'resolved' ? 'closed' : 'open' }
}

/** Closes or reopens a tracker issue. Returns whether it is settled. */
async function pushState(deps: PushDeps, due: DueLink): Promise<boolean> {
  const { meta, clock } = deps
  const { link, wanted } = due
  const integration = await meta.trackers.integrationById(link.integrationId)
  if (!integration || integration.refusedMs !== null) return false
  const { externalId } = link
  try {
    const isKept = wanted === 'closed' && (await hasOpenSibling(deps, due))
    if (!isKept && link.state !== wanted) {
      // Before the call: its webhook can arrive before its answer.
      await meta.trackers.notePush(link.id, wanted, clock.now())
      await withTracker(deps, integration, (tracker) => tracker.setState(externalId, wanted))
    }
    const handled = { linkId: link.id, state: wanted }
    await meta.trackers.settleExternal(integration.id, externalId, isKept ? link.state : wanted, handled)
    return true
  } catch (error) {
    await failed(deps, link, error)
    return false
  }
}

/** Copies a comment to the tracker. Returns whether it is settled. */
async function pushComment(deps: PushDeps, { link, activityId, userId, text }: DueComment): Promise<boolean> {
  const { meta, clock } = deps
  const integration = await meta.trackers.integrationById(link.integrationId)
  if (!integration || integration.refusedMs !== null) return false
  try {
    // Comments without a member came from a tracker.
    if (userId !== null) {
      const [author] = await meta.people.people([userId])
      const body = commentText(author?.name || author?.email || '', text)
      const id = await withTracker(deps, integration, (tracker) => tracker.comment(link.externalId, body))
      await meta.trackers.addDelivery(integration.id, `comment-${id}`, clock.now())
    }
    await meta.trackers.settleComment(link.id, activityId)
    return true
  } catch (error) {
    await failed(deps, link, error)
    return false
  }
}

/**
 * Creates the tracker issue that a rule asked for. The decision stored the link, so this repeats until the service
 * answers; the incident's history gets the first failure and the success. Returns whether it is settled.
 */
async function createForRule(deps: PushDeps, link: ExternalIssue): Promise<boolean> {
  const { meta, clock } = deps
  const integration = await meta.trackers.integrationById(link.integrationId)
  const issue = await meta.issues.issueById(link.issueId)
  // Both delete their links: one went after the read.
  if (!integration || !issue) return false
  try {
    const { key } = await fillLink(deps, integration, issue, link)
    await meta.trackers.noteRuleIssue(link, { kind: 'tracker_created', reason: key }, clock.now())
    return true
  } catch (error) {
    const words = await failed(deps, link, error)
    const reason = `${integration.name}: ${words}`
    if (link.attempts === 0) await meta.trackers.noteRuleIssue(link, { kind: 'tracker_failed', reason }, clock.now())
    return false
  }
}

/**
 * Sends what trackers do not have yet: issues that rules ask for, states and comments of linked issues, oldest first. The links themselves are the
 * outbox, so a change by a person, a rule, an event or a bulk is found in the same way. A kill in between repeats a call,
 * which changes nothing for a state. Returns the number of settled and failed calls.
 */
export async function pushDue(deps: PushDeps): Promise<{ settled: number; failed: number }> {
  const { meta, clock } = deps
  const done = { settled: 0, failed: 0 }
  if (!(await meta.trackers.hasExternal())) return done
  const count = (isSettled: boolean) => {
    if (isSettled) done.settled++
    else done.failed++
  }
  for (const link of await meta.trackers.ruleIssuesDueBy(clock.now(), linksMax)) count(await createForRule(deps, link))
  for (const due of await meta.trackers.linksDueBy(clock.now(), linksMax)) {
    const current = await currentOf(deps, due)
    if (current) count(await pushState(deps, current))
  }
  const blocked = new Set<number>()
  for (const due of await meta.trackers.commentsDueBy(clock.now(), linksMax)) {
    // The order of comments stays: after a failure the later ones wait.
    if (blocked.has(due.link.id)) continue
    const isSettled = await pushComment(deps, due)
    if (!isSettled) blocked.add(due.link.id)
    count(isSettled)
  }
  return done
}
