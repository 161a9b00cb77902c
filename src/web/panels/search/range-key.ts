'use client'
import { useTranslations } from 'next-intl'
import { useKey } from '../../ui/keys/keys.tsx'

/** The key `t` opens the range select. */
export function useRangeKey(): void {
  const t = useTranslations('triage.keys')
  const shell = useTranslations('shell')
  useKey('t', shell('global'), t('range'), () => {
    const select = document.querySelector<HTMLSelectElement>('[data-range]')
    select?.focus()
    try {
      select?.showPicker()
    } catch {
      // Not every browser opens it from a key. It still has the focus.
    }
  })
}
