'use client'
import { useRouter } from 'next/navigation'
import { useTranslations } from 'next-intl'
import { type RefObject, useEffect } from 'react'
import { useKey } from './keys.tsx'

const askedKey = 'search-asked'

/** `/` goes into the search box of the screen (`data-search`), else to the one of the issues. */
export function useSearchKey(base: string): void {
  const t = useTranslations('shell')
  const router = useRouter()
  useKey('/', t('global'), t('search'), () => {
    const field = document.querySelector<HTMLInputElement>('input[data-search]')
    field?.focus()
    field?.select()
    if (field) return
    sessionStorage.setItem(askedKey, 'yes')
    router.push(`${base}/issues`)
  })
}

/** The box that `/` on a screen without one has led to takes the focus. */
export function useAskedSearch(field: RefObject<HTMLInputElement | null>): void {
  useEffect(() => {
    if (sessionStorage.getItem(askedKey) === null) return
    sessionStorage.removeItem(askedKey)
    field.current?.focus()
  }, [field])
}
