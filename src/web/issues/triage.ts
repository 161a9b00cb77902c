'use client'
import { useTranslations } from 'next-intl'
import { useRef } from 'react'
import { systemClock } from '../../clock.ts'
import type { IssueStatus } from '../../protocol/rest.ts'
import { ApiError, apiFetch } from '../api.ts'
import { useKey } from '../ui/keys.tsx'
import { useToast } from '../ui/toast.tsx'
import type { Before, Standing } from './rows.ts'

/** How long a change can be taken back, ms (spec.md 4). */
const undoMs = 10_000
/** Ids in one call: the address stays far below 8 kB. */
const idsMax = 100

async function put(organization: string, ids: readonly string[], body: Standing): Promise<void> {
  for (let at = 0; at < ids.length; at += idsMax) {
    const id = ids.slice(at, at + idsMax)
    await apiFetch(`organizations/${organization}/issues/`, { method: 'PUT', query: { id }, body })
  }
}

export type Triage = (before: readonly Before[], status: IssueStatus) => Promise<void>

/**
 * Changes the status of issues at once on screen (`show`), then on the server; a toast takes it back for 10 s, as does z.
 * A refused change is taken back on screen and said.
 */
export function useTriage(
  organization: string,
  show: (ids: readonly string[], standing: Standing) => void,
  settled: () => void,
): Triage {
  const t = useTranslations('issues')
  const toast = useToast()
  const undo = useRef<{ run: () => void; untilMs: number } | undefined>(undefined)
  useKey('z', t('keys.group'), t('keys.undo'), () => {
    const last = undo.current
    undo.current = undefined
    if (last && systemClock.now() < last.untilMs) last.run()
  })
  const complain = (error: unknown) =>
    toast({
      kind: 'error',
      text: `${t('triage.failed')} ${error instanceof ApiError ? [error.message, ...error.causes].join(' ') : ''}`,
    })
  return async (before, status) => {
    const others = before.filter(({ was }) => was.status !== status)
    const ids = others.flatMap((one) => one.ids)
    if (ids.length === 0) return
    const back = () => {
      for (const one of others) show(one.ids, one.was)
    }
    show(ids, { status })
    try {
      await put(organization, ids, { status })
    } catch (error) {
      back()
      complain(error)
      return
    }
    let done = false
    const run = () => {
      if (done) return
      done = true
      back()
      Promise.all(others.map((one) => put(organization, one.ids, one.was)))
        .catch(complain)
        .finally(settled)
    }
    undo.current = { run, untilMs: systemClock.now() + undoMs }
    toast({
      text: t(`triage.${status}`, { count: ids.length }),
      action: { label: t('triage.undo'), run },
      stayMs: undoMs,
    })
    settled()
  }
}
