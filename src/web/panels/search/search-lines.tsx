'use client'
import dynamic from 'next/dynamic'
import { useTranslations } from 'next-intl'
import { patientImport } from '../../client/connection.ts'
import type { SearchListProps } from './search-list.tsx'

const SearchList = dynamic(
  patientImport(() => import('./search-list.tsx').then((module) => module.SearchList)),
  { ssr: false },
)

/** The suggestions, if there are any. Announces their number. */
export function SearchLines(props: SearchListProps) {
  const t = useTranslations('search')
  const isShown = props.lines.length > 0 || props.waiting
  return (
    <>
      {isShown ? <SearchList {...props} /> : null}
      <span role="status" className="sr-only">
        {isShown && !props.waiting ? t('count', { count: props.lines.length }) : ''}
      </span>
    </>
  )
}
