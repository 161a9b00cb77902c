'use client'
import { useTranslations } from 'next-intl'
import { type RefObject, useEffect, useState } from 'react'
import { useKey } from '../../ui/keys/keys.tsx'

/** The selected row of a table, and the keys that move and open it: j, k, arrows, o and Enter. */
export function useRowKeys<Row>(
  rows: readonly Row[],
  table: RefObject<HTMLTableElement | null>,
  open: (row: Row) => void,
  first: number,
): [number, (at: number) => void] {
  const t = useTranslations('performance.keys')
  const [cursor, setCursor] = useState(first)
  const at = Math.min(cursor, rows.length - 1)
  const group = t('group')
  const move = (step: number) => setCursor(Math.max(0, Math.min(rows.length - 1, at + step)))
  const focused = rows[at]
  useKey('j', group, t('down'), () => move(1))
  useKey('k', group, t('up'), () => move(-1))
  useKey('ArrowDown', group, t('down'), () => move(1))
  useKey('ArrowUp', group, t('up'), () => move(-1))
  useKey('o', group, t('open'), () => focused !== undefined && open(focused))
  useKey('Enter', group, t('open'), (event) => {
    // A focused link or button handles Enter itself.
    const control = event.target instanceof HTMLElement ? event.target.closest<HTMLElement>('a, button, summary') : null
    if (control) control.click()
    else if (focused !== undefined) open(focused)
  })
  useEffect(() => {
    if (at > first)
      table.current?.querySelectorAll('tbody tr:not(.performance-opened)')[at]?.scrollIntoView({ block: 'nearest' })
  }, [at, first, table])
  return [at, setCursor]
}
