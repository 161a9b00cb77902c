import type { RestIssue } from '../../../contract/issues.ts'
import type { RestMember } from '../../../contract/people.ts'
import type { Shown } from '../../client/issue-status.ts'

export type Assignee = NonNullable<RestIssue['assignedTo']>

/** Issues with the same assignee before a change, for undo. */
export type AssignedBefore = { was: Assignee | null; issues: Shown[] }

/** The issues to change, grouped by their current assignee. Leaves out issues that `to` already has. */
export function assignedOf(
  issues: readonly (Shown & Pick<RestIssue, 'assignedTo'>)[],
  to: string | null,
): AssignedBefore[] {
  const before: AssignedBefore[] = []
  for (const { id, revision, assignedTo } of issues) {
    if ((assignedTo?.id ?? null) === to) continue
    const previous = before.find(({ was }) => was?.id === assignedTo?.id)
    if (previous) previous.issues.push({ id, revision })
    else before.push({ was: assignedTo, issues: [{ id, revision }] })
  }
  return before
}

/** The members whose name or e-mail address contains every word of the text, in any order and case. */
export function membersFor(members: readonly RestMember[], text: string): RestMember[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  return members.filter(({ name, email }) => {
    const memberText = `${name} ${email}`.toLowerCase()
    return words.every((word) => memberText.includes(word))
  })
}

/** The index after a step through `count` choices, wrapping at both ends. */
export const stepped = (at: number, step: number, count: number): number =>
  count === 0 ? 0 : (((at + step) % count) + count) % count
