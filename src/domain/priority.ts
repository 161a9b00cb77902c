type Prioritized = { priority: string | null; substatus: string | null; level: string }

const order = ['low', 'medium', 'high']

/** Returns the priority of an issue: set by a person, else high while escalating, else by the level. */
function priorityOf({ priority, substatus, level }: Prioritized): string {
  if (priority !== null) return priority
  if (substatus === 'escalating') return 'high'
  if (level === 'warning') return 'medium'
  return level === 'info' || level === 'debug' ? 'low' : 'high'
}

/** Returns whether an issue has a higher priority than before. */
export const isPriorityRaised = (before: Prioritized, after: Prioritized): boolean =>
  order.indexOf(priorityOf(after)) > order.indexOf(priorityOf(before))

/** Returns whether an issue has the highest priority. */
export const isHighPriority = (issue: Prioritized): boolean => priorityOf(issue) === 'high'
