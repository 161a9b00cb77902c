'use client'
import { useTranslations } from 'next-intl'
import type { RestMergeUndo } from '../../../contract/grouping.ts'
import { apiFetch } from '../../client/api.ts'
import { useToast } from '../../ui/toast.tsx'
import { useErrorToast } from './change.ts'

/** Returns a function that undoes a merge by the issue that stayed and the id of the merge in its activity. */
export function useMergeUndo(organization: string, settled: () => void): (issueId: string, activity: string) => void {
  const t = useTranslations('parts.merge')
  const toast = useToast()
  const showError = useErrorToast()
  return (issueId, activity) => {
    apiFetch<RestMergeUndo>(`organizations/${organization}/issues/${issueId}/merges/${activity}/undo/`, {
      method: 'POST',
    })
      .then(({ restored }) => toast({ text: t('undone', { count: restored.length }) }))
      .catch((error: unknown) => showError(error))
      .finally(settled)
  }
}
