'use client'
import { useTranslations } from 'next-intl'
import { ApiError, apiFetch } from '../api.ts'
import { useToast } from '../ui/toast.tsx'

/** Ids in one call: the address stays far below 8 kB. */
const idsMax = 100

/** Sends one change for issues. With `revision` in the body there must be one issue. Throws ApiError. */
export async function putIssues(organization: string, ids: readonly string[], body: object): Promise<void> {
  for (let at = 0; at < ids.length; at += idsMax) {
    const id = ids.slice(at, at + idsMax)
    await apiFetch(`organizations/${organization}/issues/`, { method: 'PUT', query: { id }, body })
  }
}

/** Says why a change failed. Where somebody else was quicker it says who, and offers to apply the change anyway. */
export function useComplaint(): (error: unknown, again?: () => void) => void {
  const t = useTranslations('issues.triage')
  const toast = useToast()
  return (error, again) => {
    const current = error instanceof ApiError ? error.current : undefined
    if (current && again) {
      toast({
        kind: 'error',
        text: t('stale', { who: current.by ?? t('somebody') }),
        action: { label: t('anyway'), run: again },
        stayMs: 20_000,
      })
      return
    }
    const why = error instanceof ApiError ? [error.message, ...error.causes].join(' ') : ''
    toast({ kind: 'error', text: `${t('failed')} ${why}` })
  }
}
