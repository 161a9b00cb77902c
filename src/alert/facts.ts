import type { Clock } from '../base/clock.ts'
import type { RestDiagnostics } from '../contract/diagnostics.ts'
import type { RestEvent, RestFrame } from '../contract/events.ts'
import { clientEndsOf } from '../query/issues/error-links.ts'
import { toRestEvent } from '../query/issues/event.ts'
import { inCommonOf } from '../query/issues/in-common.ts'
import type { QueryDeps } from '../query/issues/issue.ts'
import { committersOf } from '../query/issues/suspects.ts'
import type { AlertedIssue, IssueFacts, Message } from './message/message.ts'

type FactDeps = Pick<QueryDeps, 'meta' | 'events'> & { clock: Pick<Clock, 'now' | 'after'> }
type Request = Pick<AlertedIssue, 'issue' | 'project' | 'eventId'> & Pick<Message, 'organization'>

/** A message is never late because a fact is slow: after this time it goes without the fact. */
export const factsMs = 2_000
/** Facts are gathered for so many issues of a message. The others have a link. */
const issuesMax = 3
/** In which events values are compared. An issue that is older than that has other lists on its page. */
const commonMs = 14 * 86_400_000
const commonMax = 3
const suspectsMax = 3

/** Returns the frame in which the error happened: the innermost one of the application, of the last exception. */
function culpritFrame(event: RestEvent): RestFrame | undefined {
  for (const entry of event.entries)
    if (entry.type === 'exception')
      for (const { stacktrace } of entry.data.values.toReversed()) {
        const frame = stacktrace?.frames.findLast((candidate) => candidate.inApp && candidate.lineNo !== null)
        if (frame) return frame
      }
  return undefined
}

/** Returns what the diagnostics say about the cause, the most specific first. */
const adviceOf = (found: RestDiagnostics | null): string | undefined =>
  found?.skew?.sentence ?? found?.hydration?.sentence ?? found?.invariant?.cause ?? found?.noise?.sentence

async function eventOf(deps: FactDeps, { issue, eventId }: Request): Promise<RestEvent | undefined> {
  const [row] = await deps.events.byEventId([issue.projectId], eventId)
  if (!row) return undefined
  return toRestEvent(row, {
    issueId: issue.id,
    number: 0,
    total: 0,
    previousEventId: null,
    nextEventId: null,
    attachments: [],
    failure: null,
    repository: null,
  })
}

/** Gathers one group of facts. What throws or is late is named by its key. */
type Gather = (deps: FactDeps, request: Request, event: () => Promise<RestEvent | undefined>) => Promise<IssueFacts>

const gathers: Record<string, Gather> = {
  line: async (_deps, _request, event) => {
    const found = await event()
    const frame = found && culpritFrame(found)
    const advice = adviceOf(found?.signs ?? null)
    const text = frame?.context.find(([number]) => number === frame.lineNo)?.[1]
    const file = frame?.filename ?? frame?.absPath
    return {
      ...(frame?.lineNo && file ? { sourceLine: { file, line: frame.lineNo, text: text?.trim() ?? '' } } : {}),
      ...(advice ? { advice } : {}),
    }
  },
  users: async ({ meta, events, clock }, { issue }) => {
    const hashes = (await meta.issues.hashesOf([issue.id])).get(issue.id) ?? []
    const { projectId } = issue
    const scope = { projectIds: [projectId], environments: [], fromMs: issue.firstSeenMs, toMs: clock.now() + 1 }
    const [counts] = await events.togetherOf(scope, [hashes.map((groupHash) => ({ projectId, groupHash }))])
    return counts ? { users: counts.users } : {}
  },
  since: async (deps, request, event) => {
    const { issue } = request
    if (!issue.firstRelease) return {}
    const found = await event()
    const committers = found ? (await committersOf(deps, { ...request, event: found })).committers : []
    const suspects = committers
      .flatMap(({ commits }) => commits)
      .slice(0, suspectsMax)
      .map(({ id, message, author }) => ({ id, message: message ?? '', author: author?.name ?? '' }))
    return { since: { release: issue.firstRelease, suspects } }
  },
  common: async (deps, { issue }) => {
    const toMs = deps.clock.now() + 1
    const scope = { projectIds: [issue.projectId], environments: [], fromMs: toMs - commonMs, toMs }
    const { own, values } = await inCommonOf(deps, issue, scope)
    const common = values.slice(0, commonMax).map(({ key, value, own: count }) => ({ key, value, share: count / own }))
    return common.length > 0 ? { common } : {}
  },
  browsers: async (deps, { issue, organization }) => {
    const projects = await deps.meta.projects.projectsOf(organization.id)
    const { events, people } = await clientEndsOf(
      deps,
      issue,
      projects.map(({ id }) => id),
    )
    return events > 0 ? { browserSide: { events, people } } : {}
  },
}

/** Returns the facts of an issue that are ready in time, and the names of the others. */
export async function factsOf(deps: FactDeps, request: Request): Promise<{ facts: IssueFacts; missing: string[] }> {
  const facts: IssueFacts = {}
  const missing = new Set(Object.keys(gathers))
  const state = { isOver: false, event: undefined as Promise<RestEvent | undefined> | undefined }
  // Two facts read the event. It is looked up once.
  const event = () => {
    state.event ??= eventOf(deps, request)
    return state.event
  }
  const all = Object.entries(gathers).map(async ([name, gather]) => {
    try {
      const found = await gather(deps, request, event)
      if (state.isOver) return
      Object.assign(facts, found)
      missing.delete(name)
    } catch {
      // Named in `missing`. The message is more important than the fact.
    }
  })
  const late = Promise.withResolvers<void>()
  const cancel = deps.clock.after(factsMs, late.resolve)
  await Promise.race([Promise.all(all), late.promise])
  cancel()
  state.isOver = true
  return { facts, missing: [...missing] }
}

/** Returns a message with the facts of its issues, and a sentence for the delivery log about facts that are missing. */
export async function withFacts(deps: FactDeps, message: Message): Promise<{ message: Message; note: string }> {
  if (message.kind !== 'issue' && message.kind !== 'incident') return { message, note: '' }
  const { organization } = message
  const missing = new Set<string>()
  const alerts = await Promise.all(
    message.alerts.map(async (alert, at) => {
      if (at >= issuesMax) return alert
      const found = await factsOf(deps, { ...alert, organization })
      for (const name of found.missing) missing.add(name)
      return { ...alert, facts: found.facts }
    }),
  )
  const note = missing.size > 0 ? `Sent without facts that were not ready in time: ${[...missing].join(', ')}.` : ''
  return { message: { ...message, alerts }, note }
}
