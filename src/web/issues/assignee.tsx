'use client'
import dynamic from 'next/dynamic'
import { useTranslations } from 'next-intl'
import { type ReactNode, useState } from 'react'
import type { RestIssue } from '../../protocol/rest.ts'
import { useKey } from '../ui/keys.tsx'
import { PlainText } from '../ui/plain-text.tsx'
import { type AssignedBefore, type Assignee, assignedOf } from './assignee-rules.ts'
import { putIssues, useComplaint } from './change.ts'
import type { OfferUndo } from './undo.ts'

const AssigneeDialog = dynamic(() => import('./assignee-dialog.tsx').then((module) => module.AssigneeDialog), {
  ssr: false,
})

type Target = Pick<RestIssue, 'id' | 'assignedTo' | 'revision'>

type Options = {
  organization: string
  canTriage: boolean
  /** The issues that an assignment would be for, at the moment of asking. */
  targets: () => readonly Target[]
  /** Shows an assignee before the server has it. */
  show?: (ids: readonly string[], to: Assignee | null) => void
  settled: () => void
  offerUndo: OfferUndo
  /** Everything that the search finds is meant: assigns it, in place of the targets. */
  setAll?: ((body: object) => void) | undefined
  /** Refuse the change when somebody else has changed the one issue since it was shown. */
  guarded?: boolean
}

/** Assigning issues: `ask` (the key a, too) opens the list of members, `dialog` is to stand on the screen. */
export function useAssign(options: Options): { ask: () => void; dialog: ReactNode } {
  const { organization, canTriage, targets, settled, offerUndo, show = () => {} } = options
  const t = useTranslations('issues')
  const complain = useComplaint()
  const [asked, setAsked] = useState<readonly Target[]>([])
  const ask = () => {
    if (canTriage) setAsked(targets())
  }
  useKey('a', t('keys.group'), t('keys.assign'), ask, canTriage)

  const back = (before: readonly AssignedBefore[]) => {
    for (const one of before) show(one.ids, one.was)
  }
  async function assign(issues: readonly Target[], to: Assignee | null, guarded: boolean): Promise<void> {
    const before = assignedOf(issues, to?.id ?? null)
    const ids = before.flatMap((one) => one.ids)
    if (ids.length === 0) return
    const [only] = issues
    show(ids, to)
    try {
      const revision = guarded && issues.length === 1 && only ? { revision: only.revision } : {}
      await putIssues(organization, ids, { assignedTo: to?.id ?? null, ...revision })
    } catch (error) {
      back(before)
      complain(error, () => void assign(issues, to, false))
      settled()
      return
    }
    const name = to ? to.name || to.email : ''
    offerUndo(to ? t('assign.done', { count: ids.length, name }) : t('assign.undone', { count: ids.length }), () => {
      back(before)
      Promise.all(before.map((one) => putIssues(organization, one.ids, { assignedTo: one.was?.id ?? null })))
        .catch((error: unknown) => complain(error))
        .finally(settled)
    })
    settled()
  }

  const dialog =
    asked.length > 0 ? (
      <AssigneeDialog
        organization={organization}
        count={asked.length}
        onChoose={(to) => {
          if (options.setAll) options.setAll({ assignedTo: to?.id ?? null })
          else void assign(asked, to, options.guarded ?? false)
        }}
        onClose={() => setAsked([])}
      />
    ) : null
  return { ask, dialog }
}

/** Who an issue is assigned to; for who may triage a button that asks for somebody else. */
export function AssigneeName({ issue, ask }: { issue: Target; ask: (() => void) | undefined }) {
  const t = useTranslations('issues')
  const { assignedTo } = issue
  const name = assignedTo ? (
    <PlainText text={assignedTo.name || assignedTo.email} charactersMax={60} />
  ) : (
    t('unassigned')
  )
  return ask ? (
    <button type="button" className="link" aria-haspopup="dialog" title={t('keys.assign')} onClick={ask}>
      {name}
    </button>
  ) : (
    name
  )
}
