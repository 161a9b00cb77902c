'use client'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useEffectEvent } from 'react'
import type { RestIssueDetail } from '../../../contract/issues.ts'
import { assignHash } from '../../client/assign-hash.ts'
import { type StatusChange, statusesOf, withStatus } from '../../client/issue-status.ts'
import { useUndo } from '../../ui/undo.ts'
import { useAssign } from '../triage/assignee.tsx'
import { useDecisionKeys } from '../triage/decisions.tsx'
import { useTriage } from '../triage/triage.ts'

/**
 * Changes to status, priority and assignee of the shown issue. The screen updates at once; the server rejects the
 * change if somebody else changed the issue first. `queryKey` locates the issue in the query cache.
 */
export function useIssueDecisions({
  organization,
  issueId,
  canTriage,
  detail,
  queryKey,
  refetch,
}: {
  organization: string
  issueId: string
  canTriage: boolean
  detail: RestIssueDetail | undefined
  queryKey: readonly unknown[]
  refetch: () => void
}) {
  const client = useQueryClient()
  // The server increments the revision once per change.
  const patch = (change: (before: RestIssueDetail) => Partial<RestIssueDetail>) =>
    client.setQueryData<RestIssueDetail>(
      queryKey,
      (before) => before && { ...before, ...change(before), revision: before.revision + 1 },
    )
  const show = (_ids: readonly string[], change: StatusChange) => patch((before) => withStatus(before, change))
  const offerUndo = useUndo()
  const triage = useTriage(organization, show, refetch, offerUndo)
  const targets = () => (detail ? [detail] : [])
  const assign = useAssign({
    organization,
    canTriage,
    targets,
    show: (_ids, assignedTo) => patch(() => ({ assignedTo })),
    settled: refetch,
    offerUndo,
    guarded: true,
  })
  const askByHash = useEffectEvent(() => {
    if (location.hash !== assignHash) return
    // A reload or a step back must not ask again.
    history.replaceState(history.state, '', `${location.pathname}${location.search}`)
    assign.ask()
  })
  const isLoaded = detail !== undefined
  useEffect(() => {
    if (isLoaded) askByHash()
  }, [isLoaded])
  const decide = (change: StatusChange) => {
    if (detail && canTriage) void triage(statusesOf([detail], new Set([issueId])), change, detail.revision)
  }
  const decisions = useDecisionKeys({
    organization,
    canTriage,
    targets,
    decide,
    offerUndo,
    ask: assign.ask,
    settled: refetch,
  })
  return { decide, decisions, assign }
}
