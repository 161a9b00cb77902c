'use client'
import { useTranslations } from 'next-intl'
import { putIssues, useComplaint } from './change.ts'
import type { Before, Standing } from './rows.ts'
import type { OfferUndo } from './undo.ts'

/** `revision` (of the one issue) makes the change hold only if nobody else has changed it since. */
export type Triage = (before: readonly Before[], to: Standing, revision?: number) => Promise<void>

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
  const triage: Triage = async (before, to, revision) => {
    const { status } = to
    const isPlain = to.substatus === undefined && to.statusDetails === undefined
    // Another way of the same status is a change, too; the same once more is none.
    const others = before.filter(({ was }) => was.status !== status || !isPlain)
    const ids = others.flatMap((one) => one.ids)
    if (ids.length === 0) return
    const back = () => {
      for (const one of others) show(one.ids, one.was)
    }
    show(ids, to)
    try {
      await putIssues(organization, ids, { ...to, ...(revision === undefined ? {} : { revision }) })
    } catch (error) {
      back()
      complain(error, () => void triage(before, to))
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
