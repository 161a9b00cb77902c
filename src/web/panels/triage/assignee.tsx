'use client'
import dynamic from 'next/dynamic'
import { useTranslations } from 'next-intl'
import { type ReactNode, useState } from 'react'
import type { RestIssue } from '../../../contract/issues.ts'
import { patientImport } from '../../client/connection.ts'
import type { Shown } from '../../client/issue-status.ts'
import { useKey } from '../../ui/keys/keys.tsx'
import type { OfferUndo } from '../../ui/undo.ts'
import { type AssignedBefore, type Assignee, assignedOf } from './assignee-rules.ts'
import type { Everything } from './bulk-change.ts'
import { putIssues, type Settled, useErrorToast, useRevert } from './change.ts'

const AssigneeDialog = dynamic(
  patientImport(() => import('./assignee-dialog.tsx').then((module) => module.AssigneeDialog)),
  {
    ssr: false,
  },
)

type Target = Shown & Pick<RestIssue, 'assignedTo'>

type Options = {
  organization: string
  canTriage: boolean
  /** The issues to assign, read when the dialog opens. */
  targets: () => readonly Target[]
  /** Shows an assignee before the server stores it. */
  show?: (ids: readonly string[], to: Assignee | null) => void
  settled: Settled
  offerUndo: OfferUndo
  /** Set if everything that the search finds is assigned instead of the targets. */
  all?: Everything | undefined
  /** Rejects the change if somebody else changed the issue since it was shown. For one issue only. */
  guarded?: boolean
}

const idsOf = ({ issues }: AssignedBefore) => issues.map((issue) => issue.id)

/** `to` assigns the targets, or the given issues. */
type Assign = { ask: () => void; to: (person: Assignee, issues?: readonly Target[]) => void; dialog: ReactNode }

/** Assigns issues. `ask` (also key `a`) opens the member list, `to` assigns directly. The screen renders `dialog`. */
export function useAssign(options: Options): Assign {
  const { organization, canTriage, targets, settled, offerUndo, show = () => {} } = options
  const t = useTranslations('issues')
  const showError = useErrorToast()
  const revert = useRevert(organization, settled)
  const [dialogTargets, setDialogTargets] = useState<readonly Target[]>([])
  const ask = () => {
    if (canTriage) setDialogTargets(targets())
  }
  useKey('a', t('keys.group'), t('keys.assign'), ask, canTriage)

  const restore = (before: readonly AssignedBefore[]) => {
    for (const previous of before) show(idsOf(previous), previous.was)
  }
  async function assign(issues: readonly Target[], to: Assignee | null, guarded: boolean): Promise<void> {
    const before = assignedOf(issues, to?.id ?? null)
    const ids = before.flatMap(idsOf)
    if (ids.length === 0) return
    const [only] = issues
    show(ids, to)
    try {
      const revision = guarded && issues.length === 1 && only ? { revision: only.revision } : {}
      const sent = await putIssues(organization, ids, { assignedTo: to?.id ?? null, ...revision })
      const name = to ? to.name || to.email : ''
      offerUndo(to ? t('assign.done', { count: ids.length, name }) : t('assign.undone', { count: ids.length }), () => {
        restore(before)
        revert(
          sent,
          before.flatMap((previous) =>
            previous.issues.map((issue) => ({ issue, body: { assignedTo: previous.was?.id ?? null } })),
          ),
        )
      })
      settled()
    } catch (error) {
      restore(before)
      // Overwrites somebody else's change, so the revision after it is unknown.
      const blind = issues.map(({ id, assignedTo }) => ({ id, assignedTo }))
      showError(error, () => void assign(blind, to, false))
      settled(ids)
    }
  }

  const dialog =
    dialogTargets.length > 0 ? (
      <AssigneeDialog
        organization={organization}
        count={options.all ? options.all.count : dialogTargets.length}
        onChoose={(to) => {
          if (options.all) options.all.change({ assignedTo: to?.id ?? null })
          else void assign(dialogTargets, to, options.guarded ?? false)
        }}
        onClose={() => setDialogTargets([])}
      />
    ) : null
  const to = (person: Assignee, issues = targets()) => {
    if (canTriage) void assign(issues, person, options.guarded ?? false)
  }
  return { ask, to, dialog }
}
