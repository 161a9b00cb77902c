'use client'
import type { ApiRequest } from '../api.ts'
import { useAssign } from './assignee.tsx'
import { useChangeAll } from './bulk.ts'
import { useDecisionKeys } from './decisions.tsx'
import { type Standing, statusesOf } from './rows.ts'
import { useTriage } from './triage.ts'
import { useUndo } from './undo.ts'
import type { Issues } from './use-issues.ts'

const none: ReadonlySet<string> = new Set()

/**
 * What can be done with the selected rows, with the one under the cursor, or with everything that the search finds
 * (`all`: the query of the list): a status, an assignee, a priority, taking it back.
 */
export function useDecisions({
  organization,
  canTriage,
  issues,
  cursorId,
  selected,
  unselect,
  all,
}: {
  organization: string
  canTriage: boolean
  issues: Issues
  cursorId: string | null
  selected: ReadonlySet<string>
  unselect: () => void
  all: NonNullable<ApiRequest['query']> | undefined
}) {
  const { rows, show, showAssignee, refresh } = issues
  const offerUndo = useUndo()
  const triage = useTriage(organization, show, refresh, offerUndo)
  const changeAll = useChangeAll(organization, refresh, offerUndo)
  const targetIds = selected.size ? selected : cursorId ? new Set([cursorId]) : none
  const targets = () => rows.filter((row) => targetIds.has(row.id))
  const setAll = all
    ? (body: object) => {
        void changeAll(all, body)
        unselect()
      }
    : undefined
  const assign = useAssign({
    ...{ organization, canTriage, targets, setAll },
    show: showAssignee,
    settled: refresh,
    offerUndo,
  })
  const decide = (standing: Standing) => {
    if (!canTriage) return
    if (setAll) return setAll(standing)
    void triage(statusesOf(rows, targetIds), standing)
    if (selected.size) unselect()
  }
  const decisions = useDecisionKeys({
    ...{ organization, canTriage, targets, decide, setAll, offerUndo },
    ask: assign.ask,
    settled: refresh,
  })
  return { decide, decisions, assign, offerUndo }
}
