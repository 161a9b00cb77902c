'use client'
import { useTranslations } from 'next-intl'
import { useKey } from '../../ui/keys/keys.tsx'

/** The key `t` opens the time range. */
export function useRangeKey(): void {
  const t = useTranslations('triage.keys')
  const shell = useTranslations('shell')
  useKey('t', shell('global'), t('range'), () => {
    const control = document.querySelector<HTMLDetailsElement>('[data-popup=range]')
    if (control) control.open = true
  })
}
