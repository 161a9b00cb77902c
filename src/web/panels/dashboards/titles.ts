'use client'
import { useTranslations } from 'next-intl'
import type { RestDashboard } from '../../../contract/explore/dashboards.ts'

const readyNames = ['health', 'first-hour', 'web-vitals', 'installation'] as const

/** Titles of dashboards: those of ready-made ones are in the reader's language. */
export function useBoardTitle(): (board: Pick<RestDashboard, 'id' | 'title' | 'isReadyMade'>) => string {
  const t = useTranslations('boards.ready')
  return ({ id, title, isReadyMade }) => {
    const name = isReadyMade ? readyNames.find((known) => known === id) : undefined
    return name ? t(name) : title
  }
}
