'use client'
import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { useTranslations } from 'next-intl'
import { type MouseEvent, useEffect, useLayoutEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react'
import type { RestIssue } from '../../../contract/issues.ts'
import { withoutBase } from '../../base-path.ts'
import { useSharedScale } from '../../ui/chart/trend.tsx'
import { IssueRow } from '../issue/issue-row.tsx'
import { useRowWords } from '../issue/row-words.ts'
import type { ProjectName } from '../search/list-params.ts'
import { useLongPress } from './use-long-press.ts'

/** The heights of rows.css. */
const rowPx = 52
const phoneRowPx = 72
const phone = '(max-width: 720px)'
/** Height of the sticky head above the rows, px. Scrolling to a row keeps it below. */
const headPx = 150
/** Fetch the next page when this many rows are left. */
const ahead = 40
/** Rows in the document, before a script knows the window height: enough for the tallest common screen. */
const firstCount = 24

const noStore = () => () => {}

function onPhoneChange(change: () => void): () => void {
  const query = window.matchMedia(phone)
  query.addEventListener('change', change)
  return () => query.removeEventListener('change', change)
}

const useRowPx = (): number =>
  useSyncExternalStore(
    onPhoneChange,
    () => (window.matchMedia(phone).matches ? phoneRowPx : rowPx),
    () => rowPx,
  )

/** The place of each project in the organization's list, for the rails. */
function usePlaces(projects: readonly ProjectName[]): (issue: RestIssue) => number {
  const places = useMemo(() => new Map(projects.map((project, place) => [project.id, place])), [projects])
  return (issue) => places.get(issue.project.id) ?? -1
}

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
  /** Assigns the issue to its suggested owner. */
  onAccept: (issue: RestIssue) => void
  /** Opens another page of the organization. */
  onVisit: (href: string) => void
  projects: readonly ProjectName[]
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
  onAccept,
  onVisit,
  projects,
}: ListProps) {
  const t = useTranslations('issues')
  const list = useRef<HTMLUListElement>(null)
  const [topPx, setTop] = useState(0)
  const words = useRowWords()
  const shared = useSharedScale(rows)
  const heightPx = useRowPx()
  const placeOf = usePlaces(projects)
  useLayoutEffect(() => {
    const measure = () => setTop(Math.round((list.current?.getBoundingClientRect().top ?? 0) + window.scrollY))
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(document.body)
    return () => observer.disconnect()
  }, [])
  const virtual = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => heightPx,
    overscan: 8,
    useFlushSync: false,
    scrollMargin: topPx,
    scrollPaddingStart: headPx,
    scrollPaddingEnd: 60,
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: rows have another height now
  useEffect(() => virtual.measure(), [heightPx])
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

  const issueAt = (target: EventTarget | null): RestIssue | undefined => {
    const id = target instanceof Element ? target.closest('[data-id]')?.getAttribute('data-id') : undefined
    return rows.find((row) => row.id === id)
  }
  const press = useLongPress((target) => {
    const issue = issueAt(target)
    if (issue && canTriage) onCheck(issue, false)
  })
  function click(event: MouseEvent<HTMLUListElement>): void {
    const issue = issueAt(event.target)
    if (!issue || !(event.target instanceof Element)) return
    if (event.target.closest('.issue-check')) {
      if (canTriage) onCheck(issue, event.shiftKey)
      return
    }
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
    event.preventDefault()
    const hidden = event.target.closest('.issue-hides a')
    if (event.target.closest('[data-accept]')) onAccept(issue)
    else if (hidden) onVisit(withoutBase(hidden.getAttribute('href') ?? ''))
    else onOpen(issue)
  }
  return (
    <div>
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: rows are links and checkboxes, the list only listens */}
      <ul
        ref={list}
        className="issue-list"
        data-dimmed={dimmed || undefined}
        aria-label={t('title')}
        aria-busy={dimmed}
        style={{ height: `calc(var(--row-px) * ${rows.length})` }}
        onClick={click}
        {...press}
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
              shared={shared}
              place={placeOf(issue)}
              canAccept={canTriage}
            />
          )
        })}
      </ul>
      {more ? <div className="issue-more">{t('more')}</div> : null}
    </div>
  )
}
