import type { QueryDeps } from '../../query/issues/issue.ts'
import type { IssueTrigger } from '../../store/meta/alerts/triggers.ts'
import type { Issue } from '../../store/meta/meta.ts'
import type { MetaWith } from '../../store/meta/meta-store.ts'
import { meetsFilter } from './issue-filter.ts'
import type { WatchedIssueRule } from './watched-issue.ts'

/** The triggers of one issue: they are evaluated together. */
export type Happening = { triggers: IssueTrigger[]; first: IssueTrigger; issue: Issue | undefined }

/** Groups triggers by their issue. */
export async function happeningsOf(
  { meta }: { meta: MetaWith<'issues.issuesByIds'> },
  triggers: readonly IssueTrigger[],
): Promise<Happening[]> {
  const issues = new Map(
    (await meta.issues.issuesByIds([...new Set(triggers.flatMap(({ issueId }) => issueId ?? []))])).map((issue) => [
      issue.id,
      issue,
    ]),
  )
  // Each feedback is on its own: words of a person are no part of what an error did.
  const groups = Map.groupBy(triggers, ({ id, issueId, kind, untilMs }) =>
    issueId === null || kind === 'feedback' ? `t${id}` : `${issueId} ${untilMs > 0}`,
  )
  return [...groups.values()].flatMap((group) => {
    const [first] = group
    return first ? [{ triggers: group, first, issue: issues.get(first.issueId ?? 0) }] : []
  })
}

/** A change by a person or by the clock is in no environment. */
const isInEnvironment = ({ rule: { definition } }: WatchedIssueRule, { environment }: IssueTrigger): boolean =>
  definition.environment === null || environment === '' || environment === definition.environment

/** Returns whether a rule is about the organization, the project and one of the environments. */
export const watches = (watched: WatchedIssueRule, { first, triggers }: Happening): boolean => {
  const { organizationId, definition } = watched.rule
  return (
    organizationId === first.organizationId &&
    (definition.projectIds.length === 0 || definition.projectIds.includes(first.projectId)) &&
    triggers.some((trigger) => isInEnvironment(watched, trigger))
  )
}

/** The event of a trigger; '' if it has none. A feedback has the id of its own. */
export const eventOf = ({ kind, eventId }: IssueTrigger): string => (kind === 'feedback' ? '' : eventId)

/**
 * The triggers that a rule waits for, in its environment, whose event meets its filter. Those of one round can be of
 * several events: a new issue in staging, and its first error of a release in production. Throws QUERY_TIMEOUT,
 * STORE_UNAVAILABLE.
 */
export async function fittingTriggers(deps: QueryDeps, watched: WatchedIssueRule, { triggers, issue }: Happening) {
  const kinds = new Set<string>(watched.condition.when.map(({ type }) => type))
  const known = new Map<string, boolean>()
  const fitting: IssueTrigger[] = []
  // Most triggers are of no interest to most rules: these ask nothing.
  for (const trigger of triggers) {
    if (!kinds.has(trigger.kind) || !isInEnvironment(watched, trigger)) continue
    const { projectId, atMs } = trigger
    const eventId = eventOf(trigger)
    const subject = { issueId: issue?.id ?? null, projectId, eventId, atMs }
    const fits = known.get(eventId) ?? (await meetsFilter(deps, watched.branches, subject))
    known.set(eventId, fits)
    if (fits) fitting.push(trigger)
  }
  return fitting
}
