/** A message that was sent to one recipient, of a rule (null: the built-in notifications). One `message` counts once. */
type Sent = {
  message: string
  ruleId: number | null
  incidentId: number | null
  issueIds: readonly number[]
  sentMs: number
}

/** How the messages of one rule did. */
export type RuleReport = {
  ruleId: number | null
  sent: number
  /** Somebody acted on one of its issues, or acknowledged its incident, within a day. */
  useful: number
  /** Nobody did. */
  ignored: number
  /** Messages of incidents that nobody ever acknowledged. */
  unacknowledged: number
  /** A change for a rule that makes noise; undefined for the others. */
  proposal: string | undefined
}

const dayMs = 86_400_000
/** Fewer messages say nothing about a rule. */
const noisyMin = 5
/** Rules of which less is useful are noise, too. */
const usefulShareMin = 0.2

function proposalOf(sent: number, useful: number): string | undefined {
  if (sent < noisyMin) return undefined
  if (useful === 0)
    return `Nobody acted on any of its ${sent} messages. Raise its threshold, narrow its filter, or mute it.`
  return useful / sent < usefulShareMin
    ? `Only ${useful} of its ${sent} messages led to an action. Lengthen its interval, or narrow its filter.`
    : undefined
}

/** Returns how the messages of each rule did, the rule with the most ignored messages first. Pure. */
export function reportOf(
  sent: readonly Sent[],
  actions: readonly { issueId: number; atMs: number }[],
  acknowledged: ReadonlyMap<number, number>,
): RuleReport[] {
  const byIssue = Map.groupBy(actions, ({ issueId }) => issueId)
  const isWithinDay = (atMs: number, sentMs: number) => atMs >= sentMs && atMs < sentMs + dayMs
  const isUseful = ({ incidentId, issueIds, sentMs }: Sent): boolean =>
    isWithinDay(incidentId === null ? 0 : (acknowledged.get(incidentId) ?? 0), sentMs) ||
    issueIds.some((id) => byIssue.get(id)?.some(({ atMs }) => isWithinDay(atMs, sentMs)))
  return [...Map.groupBy(sent, ({ ruleId }) => ruleId)]
    .map(([ruleId, ofRule]) => {
      // A rule is as noisy as what it says, whether one person hears it or fifty.
      const messages = [...Map.groupBy(ofRule, ({ message }) => message).values()]
      const useful = messages.filter((recipients) => recipients.some(isUseful)).length
      return {
        ruleId,
        sent: messages.length,
        useful,
        ignored: messages.length - useful,
        unacknowledged: messages.filter(
          ([first]) => first && first.incidentId !== null && !acknowledged.has(first.incidentId),
        ).length,
        // The built-in notifications are no rule that somebody could change.
        proposal: ruleId === null ? undefined : proposalOf(messages.length, useful),
      }
    })
    .sort((a, b) => b.ignored - a.ignored || b.sent - a.sent)
}
