'use client'
import { useTranslations } from 'next-intl'
import { useKey } from '../../ui/keys/keys.tsx'

/** The key t opens the select of the range. */
export function useRangeKey(): void {
  const t = useTranslations('triage.keys')
  const shell = useTranslations('shell')
  useKey('t', shell('global'), t('range'), () => {
    const select = document.querySelector<HTMLSelectElement>('[data-range]')
    select?.focus()
    try {
      select?.showPicker()
    } catch {
      // Not every browser opens it for a key; it has the focus.
    }
  })
}
