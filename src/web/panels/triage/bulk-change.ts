'use client'
import { useTranslations } from 'next-intl'
import { systemClock } from '../../../base/clock.ts'
import type { RestBulk, RestIssueChange } from '../../../contract/issue-changes.ts'
import { type ApiRequest, apiFetch } from '../../client/api.ts'
import { useToast } from '../../ui/toast.tsx'
import type { OfferUndo } from '../../ui/undo.ts'
import { useErrorToast } from './change.ts'

/**
 * A change of everything that the search finds, instead of some rows. `count` is the number of issues (null: unknown).
 */
export type Everything = { count: number | null; change: (body: object) => void }

/** How often progress is fetched, ms. */
const pollMs = 500
/** Progress appears as a toast at most this often, ms. */
const toastEachMs = 3_000

/**
 * Changes all issues that a search finds. Shows progress and offers undo for issues that nobody has changed since.
 * `query` is the list's query.
 */
export function useChangeAll(organization: string, settled: () => void, offerUndo: OfferUndo) {
  const t = useTranslations('triage.all')
  const toast = useToast()
  const showError = useErrorToast()
  const bulkPath = (id: string) => `organizations/${organization}/issue-changes/${id}/`

  async function follow(first: RestBulk): Promise<RestBulk> {
    let bulk = first
    for (let toastedMs = 0; bulk.dateEnded === null; ) {
      if (systemClock.now() - toastedMs > toastEachMs) {
        toastedMs = systemClock.now()
        toast({ kind: 'info', text: t('progress', { done: bulk.done, total: bulk.total }), stayMs: toastEachMs })
      }
      await systemClock.sleep(pollMs)
      bulk = await apiFetch<RestBulk>(bulkPath(bulk.id))
    }
    return bulk
  }
  function undo(id: string): void {
    apiFetch<RestBulk>(`${bulkPath(id)}undo/`, { method: 'POST' })
      .then(follow)
      .then(({ changed }) => toast({ text: t('undone', { count: changed }) }))
      .catch((error: unknown) => showError(error))
      .finally(settled)
  }
  return async (query: NonNullable<ApiRequest['query']>, body: object): Promise<void> => {
    try {
      const result = await apiFetch<RestIssueChange>(`organizations/${organization}/issues/`, {
        method: 'PUT',
        query,
        body,
      })
      const bulk = result.bulk && (await follow(result.bulk))
      if (bulk) offerUndo(t('done', { count: bulk.changed }), () => undo(bulk.id))
      else toast({ text: t('done', { count: result.updated.length }) })
    } catch (error) {
      showError(error)
    }
    settled()
  }
}
