import type { IssueStatus, RestIssue } from '../../contract/issues.ts'

/** The body of a status update. Without `substatus` an unresolved issue becomes ongoing. */
export type StatusChange = {
  status: IssueStatus
  substatus?: RestIssue['substatus']
  statusDetails?: RestIssue['statusDetails']
}
/** An issue as shown before a change. `revision` is missing if the revision after the change is unknown. */
export type Shown = { id: string; revision?: number | undefined }
/** Issues that shared one status before a change. */
export type Before = { was: StatusChange; issues: Shown[] }

/** The row as it will be after the update. */
export function withStatus(row: RestIssue, { status, substatus, statusDetails = {} }: StatusChange): RestIssue {
  if (row.status === status && sameDetails(row.statusDetails, statusDetails) && !movesWithin(row, substatus)) return row
  const beginnings = { unresolved: 'ongoing', ignored: 'archived_forever', resolved: null } as const
  return {
    ...row,
    status,
    substatus: status === 'resolved' ? null : (substatus ?? beginnings[status]),
    statusDetails,
  }
}

const sameDetails = (a: RestIssue['statusDetails'], b: RestIssue['statusDetails']) =>
  JSON.stringify(a) === JSON.stringify(b)
const movesWithin = (row: RestIssue, substatus: RestIssue['substatus'] | undefined) =>
  substatus !== undefined && substatus !== row.substatus

/** Groups the rows in `ids` by their current status and substatus, to undo a change. */
export function statusesOf(rows: readonly RestIssue[], ids: ReadonlySet<string>): Before[] {
  const before: Before[] = []
  for (const { id, revision, status, substatus, statusDetails } of rows) {
    if (!ids.has(id)) continue
    const previous = before.find(
      ({ was }) =>
        was.status === status && was.substatus === substatus && sameDetails(was.statusDetails ?? {}, statusDetails),
    )
    if (previous) previous.issues.push({ id, revision })
    else before.push({ was: { status, substatus, statusDetails }, issues: [{ id, revision }] })
  }
  return before
}
