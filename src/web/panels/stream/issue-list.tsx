'use client'
import { useTranslations } from 'next-intl'
import {
  type MouseEvent,
  type RefObject,
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react'
import type { RestIssue } from '../../../contract/issues.ts'
import { withoutBase } from '../../base-path.ts'
import { useSharedScale } from '../../ui/chart/trend.tsx'
import { IssueRow } from '../issue/issue-row.tsx'
import { useRowWords } from '../issue/row-words.ts'
import type { ProjectName } from '../search/list-params.ts'
import { type RowWindow, rowWindow, scrollToRow } from './row-window.ts'
import { useLongPress } from './use-long-press.ts'

/** The heights of rows.css. */
const rowPx = 52
const phoneRowPx = 72
const phone = '(max-width: 720px)'
/** Heights of the sticky head above the rows and of what is below, px. Scrolling to a row keeps it between them. */
const covered = { headPx: 150, footPx: 60 }
/** Fetch the next page when this many rows are left. */
const ahead = 40
/** Rows in the document, before a script knows the window height: enough for the tallest common screen. */
const firstCount = 24

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

/**
 * The rows near the scroll position of the window, and a function that scrolls to a row. The first render must match the
 * server's, and the browser can restore a scroll position before hydration: so the position counts from the first effect.
 */
function useRowWindow(list: RefObject<HTMLElement | null>, count: number, rowPx: number) {
  const [part, setPart] = useState<RowWindow>({ from: 0, to: firstCount })
  const placeOf = useCallback(
    () => ({
      topPx: Math.round((list.current?.getBoundingClientRect().top ?? 0) + window.scrollY),
      rowPx,
      scrollPx: window.scrollY,
      viewPx: window.innerHeight,
    }),
    [list, rowPx],
  )
  useLayoutEffect(() => {
    const update = () => {
      const next = rowWindow(count, placeOf())
      setPart((last) => (last.from === next.from && last.to === next.to ? last : next))
    }
    update()
    // What is above the list can grow.
    const observer = new ResizeObserver(update)
    observer.observe(document.body)
    window.addEventListener('scroll', update, { passive: true })
    window.addEventListener('resize', update)
    return () => {
      observer.disconnect()
      window.removeEventListener('scroll', update)
      window.removeEventListener('resize', update)
    }
  }, [count, placeOf])
  const show = useCallback(
    (index: number) => {
      const top = scrollToRow(index, placeOf(), covered)
      if (top !== undefined) window.scrollTo({ top })
    },
    [placeOf],
  )
  return { ...part, show }
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
  const words = useRowWords()
  const shared = useSharedScale(rows)
  const heightPx = useRowPx()
  const placeOf = usePlaces(projects)
  const { from, to, show } = useRowWindow(list, rows.length, heightPx)
  useEffect(() => {
    if (more && to > rows.length - ahead) fetchMore()
  }, [more, to, rows.length, fetchMore])
  const lastCursorId = useRef(cursorId)
  useEffect(() => {
    if (lastCursorId.current === cursorId) return
    lastCursorId.current = cursorId
    const index = rows.findIndex((row) => row.id === cursorId)
    if (index >= 0) show(index)
  }, [cursorId, rows, show])

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
        {rows.slice(from, to).map((issue, place) => (
          <IssueRow
            key={issue.id}
            issue={issue}
            href={hrefOf(issue)}
            index={from + place}
            total={total}
            isCursor={issue.id === cursorId}
            isSelected={selected.has(issue.id)}
            words={words}
            shared={shared}
            place={placeOf(issue)}
            canAccept={canTriage}
          />
        ))}
      </ul>
      {more ? <div className="issue-more">{t('more')}</div> : null}
    </div>
  )
}
