'use client'
import { useTranslations } from 'next-intl'
import { useKey } from '../../ui/keys/keys.tsx'
import type { TraceControls } from './use-trace.ts'

/** The keys of the page. Each has a visible control, too. */
export function useTraceKeys(trace: TraceControls): void {
  const t = useTranslations('trace')
  const group = t('title')
  useKey('ArrowDown', group, t('keys.step'), () => trace.step(1))
  useKey('ArrowUp', group, t('keys.step'), () => trace.step(-1))
  useKey('ArrowRight', group, t('keys.open'), trace.open)
  useKey('ArrowLeft', group, t('keys.close'), trace.close)
  useKey('n', group, t('keys.next'), () => trace.stepMatch(1))
  useKey('p', group, t('keys.previous'), () => trace.stepMatch(-1))
  useKey('Shift+n', group, t('keys.nextError'), trace.nextError)
  useKey('+', group, t('keys.zoomIn'), () => trace.zoom('in'))
  useKey('-', group, t('keys.zoomOut'), () => trace.zoom('out'))
  useKey('0', group, t('keys.fit'), trace.fit)
  useKey('.', group, t('keys.fitSelected'), trace.fitSelected)
  useKey('Escape', group, t('keys.leave'), () => trace.select(undefined), trace.selected !== undefined)
}
