'use client'
import { useRouter } from 'next/navigation'
import { useTranslations } from 'next-intl'
import { useMemo, useState } from 'react'
import type { RestTraceComparison } from '../../../contract/explore/trace-compare.ts'
import { useKey } from '../../ui/keys/keys.tsx'
import { shownRows } from './compared.ts'

export type CompareControls = {
  organization: string
  data: RestTraceComparison
  /** Numbers of the visible rows. */
  shown: number[]
  closed: ReadonlySet<number>
  toggle(row: number): void
  selected: number
  select(row: number): void
  /** Selects a row and opens what hides it. */
  reveal(row: number): void
  isOnlyDifferent: boolean
  toggleDifferent(): void
}

/** What is open and selected on the page of two traces, and its keys. */
export function useCompare(organization: string, data: RestTraceComparison): CompareControls {
  const t = useTranslations('trace')
  const router = useRouter()
  const [closed, setClosed] = useState<ReadonlySet<number>>(new Set())
  const [selected, select] = useState(-1)
  const [isOnlyDifferent, setOnlyDifferent] = useState(false)
  const shown = useMemo(() => shownRows(data, closed, isOnlyDifferent), [data, closed, isOnlyDifferent])
  const toggle = (row: number) =>
    setClosed((now) => {
      const next = new Set(now)
      if (!next.delete(row)) next.add(row)
      return next
    })
  const reveal = (row: number) => {
    setClosed((now) => {
      const next = new Set(now)
      for (let up = data.rows[row]?.parent ?? -1; up >= 0; up = data.rows[up]?.parent ?? -1) next.delete(up)
      return next
    })
    select(row)
  }
  const step = (by: 1 | -1) => {
    const at = shown.indexOf(selected)
    const next = shown[at < 0 ? 0 : Math.min(shown.length - 1, Math.max(0, at + by))]
    if (next !== undefined) select(next)
  }
  const stepLargest = (by: 1 | -1) => {
    const { largest } = data
    const at = largest.indexOf(selected)
    const next = largest[at < 0 ? 0 : (at + by + largest.length) % largest.length]
    if (next !== undefined) reveal(next)
  }
  const toggleDifferent = () => setOnlyDifferent((now) => !now)
  const isBranch = data.rows[selected + 1]?.parent === selected
  const group = t('compare.title')
  useKey('ArrowDown', group, t('keys.step'), () => step(1))
  useKey('ArrowUp', group, t('keys.step'), () => step(-1))
  useKey('ArrowRight', group, t('keys.open'), () => (closed.has(selected) ? toggle(selected) : step(1)))
  useKey('ArrowLeft', group, t('keys.close'), () => {
    if (selected < 0) return
    if (isBranch && !closed.has(selected)) toggle(selected)
    else if ((data.rows[selected]?.parent ?? -1) >= 0) select(data.rows[selected]?.parent ?? -1)
  })
  useKey('n', group, t('compare.next'), () => stepLargest(1))
  useKey('p', group, t('compare.previousDifference'), () => stepLargest(-1))
  useKey('d', group, t('compare.onlyDifferent'), toggleDifferent)
  useKey('x', group, t('compare.swap'), () =>
    router.push(`/o/${organization}/traces/${data.b.traceID}?compare=${data.a.traceID}`),
  )
  return { organization, data, shown, closed, toggle, selected, select, reveal, isOnlyDifferent, toggleDifferent }
}
