'use client'
import { usePathname, useSearchParams } from 'next/navigation'
import { useTranslations } from 'next-intl'
import { Link } from '../../ui/link.tsx'
import { changedSearch } from './params.ts'

/** Links to the next and the previous page of a list. Nothing if it fits on a single page. */
export function Pages({ at, all, each }: { at: number; all: number; each: number }) {
  const t = useTranslations('performance.pages')
  const path = usePathname()
  const search = useSearchParams()
  if (all <= each) return null
  const to = (offset: number) =>
    path + changedSearch(new URLSearchParams(search), { at: offset > 0 ? String(offset) : null })
  return (
    <nav className="performance-pages" aria-label={t('label')}>
      <span className="text-ink-3">{t('of', { from: at + 1, to: Math.min(all, at + each), all })}</span>
      {at > 0 ? (
        <Link className="link" href={to(Math.max(0, at - each))}>
          {t('previous')}
        </Link>
      ) : null}
      {at + each < all ? (
        <Link className="link" href={to(at + each)}>
          {t('next')}
        </Link>
      ) : null}
    </nav>
  )
}
