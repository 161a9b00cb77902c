'use client'
import type { ApiRequest } from '../../client/api.ts'
import { type StatusChange, statusesOf } from '../../client/issue-status.ts'
import { useUndo } from '../../ui/undo.ts'
import { useAssign } from '../triage/assignee.tsx'
import { useChangeAll } from '../triage/bulk-change.ts'
import { useDecisionKeys } from '../triage/decisions.tsx'
import { useTriage } from '../triage/triage.ts'
import type { Issues } from './use-issues.ts'

const none: ReadonlySet<string> = new Set()

/**
 * Actions on the selected rows, the row under the cursor, or everything that the search finds (`bulkQuery`: the list's
 * query): status, assignee, priority, undo.
 */
export function useDecisions({
  organization,
  canTriage,
  issues,
  cursorId,
  selected,
  unselect,
  bulkQuery,
}: {
  organization: string
  canTriage: boolean
  issues: Issues
  cursorId: string | null
  selected: ReadonlySet<string>
  unselect: () => void
  bulkQuery: NonNullable<ApiRequest['query']> | undefined
}) {
  const { rows, show, showAssignee, refresh, reload } = issues
  const offerUndo = useUndo()
  const triage = useTriage(organization, show, refresh, offerUndo)
  // This also changes rows that are not loaded, so reload the whole list afterwards.
  const changeAll = useChangeAll(organization, reload, offerUndo)
  const targetIds = selected.size ? selected : cursorId ? new Set([cursorId]) : none
  const targets = () => rows.filter((row) => targetIds.has(row.id))
  const all = bulkQuery && {
    count: issues.hits,
    change: (body: object) => {
      void changeAll(bulkQuery, body)
      unselect()
    },
  }
  const assign = useAssign({
    organization,
    canTriage,
    targets,
    all,
    show: showAssignee,
    settled: refresh,
    offerUndo,
  })
  const decide = (change: StatusChange) => {
    if (!canTriage) return
    if (all) return all.change(change)
    void triage(statusesOf(rows, targetIds), change)
    if (selected.size) unselect()
  }
  const decisions = useDecisionKeys({
    organization,
    canTriage,
    targets,
    decide,
    all,
    offerUndo,
    ask: assign.ask,
    settled: refresh,
  })
  return { decide, decisions, assign, offerUndo }
}
