'use client'
import { useTranslations } from 'next-intl'
import { useCallback, useRef } from 'react'
import { systemClock } from '../../base/clock.ts'
import { useKey } from './keys/keys.tsx'
import { useToast } from './toast.tsx'

/** How long a change can be undone, ms. */
const undoMs = 10_000

/** Shows a change as a toast. `run` undoes it by the toast's button or by z, once and within 10 s. */
export type OfferUndo = (text: string, run: () => void) => void

/** One undo for all changes of a screen: z undoes the last change. */
export function useUndo(): OfferUndo {
  const t = useTranslations('issues')
  const toast = useToast()
  const last = useRef<{ run: () => void; untilMs: number } | undefined>(undefined)
  useKey('z', t('keys.group'), t('keys.undo'), () => {
    const undo = last.current
    last.current = undefined
    if (undo && systemClock.now() < undo.untilMs) undo.run()
  })
  return useCallback(
    (text, run) => {
      let done = false
      const once = () => {
        if (done) return
        done = true
        run()
      }
      const close = toast({ text, action: { label: t('triage.undo'), run: once }, stayMs: undoMs })
      const byKey = () => {
        close()
        once()
      }
      last.current = { run: byKey, untilMs: systemClock.now() + undoMs }
    },
    [t, toast],
  )
}
