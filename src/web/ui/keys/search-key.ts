'use client'
import { useRouter } from 'next/navigation'
import { useTranslations } from 'next-intl'
import { type RefObject, useEffect } from 'react'
import { useKey } from './keys.tsx'

const pendingKey = 'search-asked'

/** `/` focuses the search box of the screen (`data-search`), or opens the issues and focuses theirs. */
export function useSearchKey(base: string): void {
  const t = useTranslations('shell')
  const router = useRouter()
  useKey('/', t('global'), t('search'), () => {
    const field = document.querySelector<HTMLInputElement>('input[data-search]')
    field?.focus()
    field?.select()
    if (field) return
    sessionStorage.setItem(pendingKey, 'yes')
    router.push(`${base}/issues`)
  })
}

/** Focuses the box after `/` was pressed on a screen without a search box. */
export function usePendingSearchFocus(field: RefObject<HTMLInputElement | null>): void {
  useEffect(() => {
    if (sessionStorage.getItem(pendingKey) === null) return
    sessionStorage.removeItem(pendingKey)
    field.current?.focus()
  }, [field])
}
