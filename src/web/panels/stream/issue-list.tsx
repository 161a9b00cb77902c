'use client'
import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { useTranslations } from 'next-intl'
import { type MouseEvent, useEffect, useLayoutEffect, useRef, useState, useSyncExternalStore } from 'react'
import type { RestIssue } from '../../../contract/issues.ts'
import type { RestAnnotations } from '../../../contract/releases.ts'
import { useSparkAnnotations } from '../../ui/chart/spark-annotations.tsx'
import { IssueRow, useRowWords } from '../issue/issue-row.tsx'

const rowPx = 52
/** Height of the sticky head above the rows, px. Scrolling to a row keeps it below. */
const headPx = 150
/** Fetch the next page when this many rows are left. */
const ahead = 40
/** Rows in the document, before a script knows the window height: enough for the tallest common screen. */
const firstCount = 24

const noStore = () => () => {}

type ListProps = {
  rows: readonly RestIssue[]
  /** Number of matching rows, loaded or not. */
  total: number
  hrefOf: (issue: RestIssue) => string
  cursorId: string | null
  selected: ReadonlySet<string>
  dimmed: boolean
  more: boolean
  fetchMore: () => void
  onOpen: (issue: RestIssue) => void
  onCheck: (issue: RestIssue, withShift: boolean) => void
  canTriage: boolean
  /** Releases and deploys in the range; undefined while unknown. */
  annotations: RestAnnotations | undefined
}

/** Renders the rows near the scroll position. All rows have the same height, so none is measured. */
export function IssueList({
  rows,
  total,
  hrefOf,
  cursorId,
  selected,
  dimmed,
  more,
  fetchMore,
  onOpen,
  onCheck,
  canTriage,
  annotations,
}: ListProps) {
  const t = useTranslations('issues')
  const list = useRef<HTMLUListElement>(null)
  const [topPx, setTop] = useState(0)
  const words = useRowWords()
  const sparkOf = useSparkAnnotations(rows, annotations)
  useLayoutEffect(() => {
    const measure = () => setTop(Math.round((list.current?.getBoundingClientRect().top ?? 0) + window.scrollY))
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(document.body)
    return () => observer.disconnect()
  }, [])
  const virtual = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => rowPx,
    overscan: 8,
    useFlushSync: false,
    scrollMargin: topPx,
    scrollPaddingStart: headPx,
    scrollPaddingEnd: 60,
  })
  // The browser can restore a scroll position before hydration, but the first render must match the server's.
  const hydrated = useSyncExternalStore(
    noStore,
    () => true,
    () => false,
  )
  const items = hydrated ? virtual.getVirtualIndexes() : rows.slice(0, firstCount).map((_row, index) => index)
  const lastIndex = items.at(-1) ?? 0
  useEffect(() => {
    if (more && lastIndex >= rows.length - ahead) fetchMore()
  }, [more, lastIndex, rows.length, fetchMore])
  const lastCursorId = useRef(cursorId)
  useEffect(() => {
    if (lastCursorId.current === cursorId) return
    lastCursorId.current = cursorId
    const index = rows.findIndex((row) => row.id === cursorId)
    if (index >= 0) virtual.scrollToIndex(index, { align: 'auto' })
  }, [cursorId, rows, virtual])

  function click(event: MouseEvent<HTMLUListElement>): void {
    if (!(event.target instanceof Element)) return
    const id = event.target.closest('[data-id]')?.getAttribute('data-id')
    const issue = rows.find((row) => row.id === id)
    if (!issue) return
    if (event.target.closest('.issue-check')) {
      if (canTriage) onCheck(issue, event.shiftKey)
      return
    }
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
    event.preventDefault()
    onOpen(issue)
  }
  return (
    <>
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: rows are links and checkboxes, the list only listens */}
      <ul
        ref={list}
        className="issue-list"
        data-dimmed={dimmed || undefined}
        aria-label={t('title')}
        aria-busy={dimmed}
        style={{ height: rows.length * rowPx }}
        onClick={click}
      >
        {items.map((index) => {
          const issue = rows[index]
          if (!issue) return null
          return (
            <IssueRow
              key={issue.id}
              issue={issue}
              href={hrefOf(issue)}
              index={index}
              total={total}
              isCursor={issue.id === cursorId}
              isSelected={selected.has(issue.id)}
              words={words}
              offsetPx={index * rowPx}
              spark={sparkOf(issue)}
            />
          )
        })}
      </ul>
      {more ? <div className="issue-more">{t('more')}</div> : null}
    </>
  )
}
