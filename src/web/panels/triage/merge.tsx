'use client'
import dynamic from 'next/dynamic'
import { useTranslations } from 'next-intl'
import { type ReactNode, useState } from 'react'
import type { RestIssueChange } from '../../../contract/issue-changes.ts'
import type { RestIssue } from '../../../contract/issues.ts'
import { apiFetch } from '../../client/api.ts'
import { patientImport } from '../../client/connection.ts'
import { useKey } from '../../ui/keys/keys.tsx'
import { useToast } from '../../ui/toast.tsx'
import { useErrorToast } from './change.ts'
import { mergeOf, mergesMax, undosMax } from './merge-rules.ts'
import { useMergeUndo } from './merge-undo.ts'

const MergeDialog = dynamic(
  patientImport(() => import('./merge-dialog.tsx').then((module) => module.MergeDialog)),
  { ssr: false },
)

/** `off`: why the selected rows cannot be merged. */
export type Merge = { ask: () => void; off: string | undefined; dialog: ReactNode }

/**
 * Merges the selected issues. `ask` (also key `m`) first shows which issue remains. The message of a merge has an undo,
 * and so has its entry in the activity. The screen renders `dialog`.
 */
export function useMerge({
  organization,
  canTriage,
  issues,
  selected,
  unselect,
  isAll,
}: {
  organization: string
  canTriage: boolean
  issues: { rows: readonly RestIssue[]; reload: () => void }
  selected: ReadonlySet<string>
  unselect: () => void
  isAll: boolean
}): Merge {
  const t = useTranslations('triage.merge')
  const keys = useTranslations('issues.keys')
  const words = useTranslations('parts.merge')
  const toast = useToast()
  const undo = useMergeUndo(organization, issues.reload)
  const showError = useErrorToast()
  const [pending, setPending] = useState<{ into: RestIssue; others: readonly RestIssue[] } | undefined>()
  const plan = mergeOf(issues.rows.filter((row) => selected.has(row.id)))
  // Nobody has seen all matching issues, so nobody can know that they are one bug.
  const off = isAll ? t('off.all') : plan.kind === 'merge' ? undefined : t(`off.${plan.kind}`, { count: mergesMax })
  const ask = () => {
    if (!canTriage) return
    if (plan.kind === 'merge' && !isAll) setPending(plan)
    else toast({ kind: 'info', text: off ?? '', stayMs: 4000 })
  }
  useKey('m', keys('group'), t('ask'), ask, canTriage)

  async function merge(all: readonly RestIssue[]): Promise<void> {
    try {
      const { merge: result } = await apiFetch<RestIssueChange>(`organizations/${organization}/issues/`, {
        method: 'PUT',
        query: { id: all.map((issue) => issue.id) },
        body: { merge: 1 },
      })
      const { parent = '', children = [], activity = null } = result ?? {}
      const into = all.find((issue) => issue.id === parent)?.shortId ?? ''
      toast({
        text: t('done', { count: children.length, into }),
        // The server undoes a merge of at most 20 issues.
        ...(activity !== null && children.length <= undosMax
          ? { action: { label: words('undoNow'), run: () => undo(parent, activity) } }
          : {}),
      })
      unselect()
    } catch (error) {
      showError(error)
    }
    issues.reload()
  }
  const dialog = pending ? (
    <MergeDialog
      into={pending.into}
      others={pending.others}
      merge={() => void merge([pending.into, ...pending.others])}
      onClose={() => setPending(undefined)}
    />
  ) : null
  return { ask, off, dialog }
}
