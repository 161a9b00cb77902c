'use client'
import { useTranslations } from 'next-intl'
import type { IssueStatus } from '../../protocol/rest.ts'
import { putIssues, useComplaint } from './change.ts'
import type { Before, Standing } from './rows.ts'
import type { OfferUndo } from './undo.ts'

/** `revision` (of the one issue) makes the change hold only if nobody else has changed it since. */
export type Triage = (before: readonly Before[], status: IssueStatus, revision?: number) => Promise<void>

/**
 * Changes the status of issues at once on screen (`show`), then on the server, and offers to take it back. A refused
 * change is taken back on screen and said.
 */
export function useTriage(
  organization: string,
  show: (ids: readonly string[], standing: Standing) => void,
  settled: () => void,
  offerUndo: OfferUndo,
): Triage {
  const t = useTranslations('issues')
  const complain = useComplaint()
  const triage: Triage = async (before, status, revision) => {
    const others = before.filter(({ was }) => was.status !== status)
    const ids = others.flatMap((one) => one.ids)
    if (ids.length === 0) return
    const back = () => {
      for (const one of others) show(one.ids, one.was)
    }
    show(ids, { status })
    try {
      await putIssues(organization, ids, { status, ...(revision === undefined ? {} : { revision }) })
    } catch (error) {
      back()
      complain(error, () => void triage(before, status))
      settled()
      return
    }
    offerUndo(t(`triage.${status}`, { count: ids.length }), () => {
      back()
      Promise.all(others.map((one) => putIssues(organization, one.ids, one.was)))
        .catch((error: unknown) => complain(error))
        .finally(settled)
    })
    settled()
  }
  return triage
}
