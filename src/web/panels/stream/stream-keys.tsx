'use client'
import dynamic from 'next/dynamic'
import { useTranslations } from 'next-intl'
import { patientImport } from '../../client/connection.ts'
import { useKey } from '../../ui/keys/keys.tsx'
import { useRangeKey } from '../search/range-key.ts'

/** The side panel with a preview of an issue. Loaded on first use. */
export const Peek = dynamic(
  patientImport(() => import('../issue/peek.tsx').then((module) => module.PeekPanel)),
  { ssr: false },
)

type StreamKeys = {
  move: (step: number, select: boolean) => void
  open: () => void
  check: () => void
  selectAll: () => void
  peek: () => void
  clear: () => void
  showWaiting: (() => void) | undefined
}

/** The keys of the list. Keys that change issues are in decisions.tsx. */
export function useStreamKeys({ move, open, check, selectAll, peek, clear, showWaiting }: StreamKeys): void {
  const t = useTranslations('issues.keys')
  const triage = useTranslations('triage.keys')
  const group = t('group')
  // A focused link or button handles Enter and Space itself.
  const free = (event: KeyboardEvent) =>
    !(event.target instanceof Element && event.target.closest('a, button, select, summary, input'))
  useRangeKey()
  useKey('j', group, t('down'), () => move(1, false))
  useKey('k', group, t('up'), () => move(-1, false))
  useKey('ArrowDown', group, t('down'), () => move(1, false))
  useKey('ArrowUp', group, t('up'), () => move(-1, false))
  useKey('Shift+j', group, t('selectDown'), () => move(1, true))
  useKey('Shift+k', group, t('selectUp'), () => move(-1, true))
  useKey('Shift+ArrowDown', group, t('selectDown'), () => move(1, true))
  useKey('Shift+ArrowUp', group, t('selectUp'), () => move(-1, true))
  useKey('x', group, t('select'), check)
  useKey('$mod+a', group, triage('selectAll'), selectAll)
  useKey('o', group, t('open'), open)
  useKey('Enter', group, t('open'), (event) => {
    if (free(event)) return open()
    // The registry has handled the key: pass it on to the focused element.
    if (event.target instanceof HTMLElement) event.target.click()
  })
  useKey('Space', group, triage('peek'), (event) => {
    if (free(event)) return peek()
    if (event.target instanceof HTMLElement) event.target.click()
  })
  useKey('Escape', group, t('clear'), clear)
  useKey('n', group, t('news'), () => showWaiting?.(), showWaiting !== undefined)
}
