'use client'
import { useTranslations } from 'next-intl'
import type { RestIssueChange } from '../../../contract/issue-changes.ts'
import { ApiError, apiFetch } from '../../client/api.ts'
import type { Shown } from '../../client/issue-status.ts'
import { useErrorText } from '../../ui/error-text.ts'
import { useToast } from '../../ui/toast.tsx'

/** Maximum ids per call, so that the URL stays below 8 kB. */
const idsMax = 100

/** Issues of one call, and the id of the bulk change that the server stores for many issues. */
type Sent = { ids: readonly string[]; bulkId: string | undefined }

/** Sends one change for issues. `revision` in the body requires a single issue. Throws ApiError. */
export async function putIssues(organization: string, ids: readonly string[], body: object): Promise<Sent[]> {
  const sent: Sent[] = []
  for (let at = 0; at < ids.length; at += idsMax) {
    const id = ids.slice(at, at + idsMax)
    const path = `organizations/${organization}/issues/`
    const { bulk } = await apiFetch<RestIssueChange>(path, { method: 'PUT', query: { id }, body })
    sent.push({ ids: id, bulkId: bulk?.id })
  }
  return sent
}

/** An issue before a change, and the body that restores it. */
type Was = { issue: Shown; body: object }

/** Issues that were not restored, because somebody changed them since. */
type SkippedIssues = { ids: string[]; by: string | null }

/**
 * Undoes a change, except for issues that somebody has changed since: a later decision wins. The change added one
 * revision per issue, which must still be the last revision. The server checks this for bulk changes. Throws ApiError.
 */
export async function revert(organization: string, sent: readonly Sent[], was: readonly Was[]): Promise<SkippedIssues> {
  const byId = new Map(was.map((previous) => [previous.issue.id, previous]))
  const skipped: SkippedIssues = { ids: [], by: null }
  for (const { ids, bulkId } of sent) {
    if (bulkId !== undefined) {
      await apiFetch(`organizations/${organization}/issue-changes/${bulkId}/undo/`, { method: 'POST' })
      continue
    }
    // One request per issue, because a revision belongs to one issue. 50 or more issues are a bulk change.
    for (const id of ids) {
      const { issue, body } = byId.get(id) ?? {}
      const revision = issue?.revision === undefined ? {} : { revision: issue.revision + 1 }
      try {
        await putIssues(organization, [id], { ...body, ...revision })
      } catch (error) {
        if (!(error instanceof ApiError && error.current)) throw error
        skipped.ids.push(id)
        skipped.by = error.current.by
      }
    }
  }
  return skipped
}

/** Runs after a change. `ids`: rows that may be out of date. */
export type Settled = (ids?: readonly string[]) => void

/** Undoes a change and reports the issues that were not restored. */
export function useRevert(organization: string, settled: Settled) {
  const t = useTranslations('issues.triage')
  const toast = useToast()
  const showError = useErrorToast()
  return (sent: readonly Sent[], was: readonly Was[]): void => {
    revert(organization, sent, was)
      .then(({ ids, by }) => {
        if (ids.length > 0) toast({ kind: 'error', text: t('kept', { count: ids.length, who: by ?? t('somebody') }) })
        settled(ids)
      })
      .catch((error: unknown) => {
        showError(error)
        settled(was.map((previous) => previous.issue.id))
      })
  }
}

/** Shows why a change failed. After a conflict it names the other person and offers to apply the change anyway. */
export function useErrorToast(): (error: unknown, retry?: () => void) => void {
  const t = useTranslations('issues.triage')
  const toast = useToast()
  const why = useErrorText()
  return (error, retry) => {
    const current = error instanceof ApiError ? error.current : undefined
    if (current && retry) {
      toast({
        kind: 'error',
        text: t('stale', { who: current.by ?? t('somebody') }),
        action: { label: t('anyway'), run: retry },
        stayMs: 20_000,
      })
      return
    }
    toast({ kind: 'error', text: `${t('failed')} ${error instanceof ApiError ? why(error) : ''}` })
  }
}
