'use client'
import { useTranslations } from 'next-intl'
import type { Before, StatusChange } from '../../client/issue-status.ts'
import type { OfferUndo } from '../../ui/undo.ts'
import { putIssues, type Settled, useErrorToast, useRevert } from './change.ts'

/** With `revision`, a change of one issue fails if somebody else changed it since. */
type Triage = (before: readonly Before[], to: StatusChange, revision?: number) => Promise<void>

const idsOf = ({ issues }: Before) => issues.map((issue) => issue.id)

/**
 * Changes the status of issues on screen (`show`), then on the server, and offers undo. A rejected change is reverted
 * on screen, with a toast.
 */
export function useTriage(
  organization: string,
  show: (ids: readonly string[], change: StatusChange) => void,
  settled: Settled,
  offerUndo: OfferUndo,
): Triage {
  const t = useTranslations('issues')
  const showError = useErrorToast()
  const revert = useRevert(organization, settled)
  const triage: Triage = async (before, to, revision) => {
    const { status } = to
    const isPlain = to.substatus === undefined && to.statusDetails === undefined
    // The same status with other details is a change. Without details it is not.
    const others = before.filter(({ was }) => was.status !== status || !isPlain)
    const ids = others.flatMap(idsOf)
    if (ids.length === 0) return
    const restore = () => {
      for (const previous of others) show(idsOf(previous), previous.was)
    }
    show(ids, to)
    try {
      const sent = await putIssues(organization, ids, { ...to, ...(revision === undefined ? {} : { revision }) })
      offerUndo(t(`triage.${status}`, { count: ids.length }), () => {
        restore()
        revert(
          sent,
          others.flatMap(({ was, issues }) => issues.map((issue) => ({ issue, body: was }))),
        )
      })
      settled()
    } catch (error) {
      restore()
      // Overwrites somebody else's change, so the revision after it is unknown.
      const blind = before.map(({ was, issues }) => ({ was, issues: issues.map(({ id }) => ({ id })) }))
      showError(error, () => void triage(blind, to))
      settled(ids)
    }
  }
  return triage
}
