'use client'
import { useTranslations } from 'next-intl'
import { type MouseEvent, useEffect, useRef, useState } from 'react'
import { useKey } from '../../ui/keys/keys.tsx'
import type { Item } from './items.ts'
import { type FieldActions, LogDetailPart } from './log-detail.tsx'
import { FoldRow, GapRow, LogRow, type ProjectOf } from './log-row.tsx'
import { useListWindow } from './use-list-window.ts'

/** Fetch the next page when so many rows are left. */
const ahead = 60

type LineListProps = {
  organization: string
  items: readonly Item[]
  openId: string
  columns: readonly string[]
  withDay: boolean
  isDimmed: boolean
  more: boolean
  projectOf: ProjectOf
  actions: FieldActions
  fetchMore: () => void
  open: (id: string) => void
  unfold: (id: string) => void
}

const isChoosable = (item: Item | undefined) => item?.kind === 'line' || item?.kind === 'fold'

/** The selected row and the keys that act on it. */
function useCursor(
  items: readonly Item[],
  act: (item: Item) => void,
  show: (index: number) => void,
): string | undefined {
  const t = useTranslations('logs.keys')
  const [cursor, setCursor] = useState<string>()
  const at = items.findIndex((item) => item.id === cursor)
  const move = (step: 1 | -1) => {
    let next = at < 0 && step < 0 ? 0 : at + step
    while (next >= 0 && next < items.length && !isChoosable(items[next])) next += step
    const item = items[next]
    if (!item) return
    setCursor(item.id)
    show(next)
  }
  const chosen = items[at]
  useKey('j', t('group'), t('down'), () => move(1))
  useKey('k', t('group'), t('up'), () => move(-1))
  useKey('o', t('group'), t('open'), () => chosen && act(chosen))
  useKey('Enter', t('group'), t('open'), (event) => {
    // A focused link or button handles Enter itself.
    if (event.target instanceof HTMLElement && event.target.closest('a, button, select, summary, input'))
      event.target.click()
    else if (chosen) act(chosen)
  })
  return cursor
}

function RowOf({ item, props, cursor }: { item: Item; props: LineListProps; cursor: string | undefined }) {
  const { columns, withDay, projectOf, openId } = props
  const shared = { isCursor: item.id === cursor, withDay, projectOf }
  if (item.kind === 'line') return <LogRow line={item.line} isOpen={item.id === openId} {...shared} />
  if (item.kind === 'fold') return <FoldRow id={item.id} lines={item.lines} columns={columns.length} {...shared} />
  if (item.kind === 'gap') return <GapRow gap={item.gap} />
  return (
    <LogDetailPart
      key={item.line.id}
      organization={props.organization}
      line={item.line}
      actions={props.actions}
      projectOf={projectOf}
      open={props.open}
    />
  )
}

/** The rows of the list that are near the window. A click opens a line or a fold. */
export function LineList(props: LineListProps) {
  const { items, more, fetchMore, open, unfold, columns } = props
  const t = useTranslations('logs')
  const list = useRef<HTMLUListElement>(null)
  const { from, to, offsets, measure, show } = useListWindow(list, items)
  const act = (item: Item) => {
    if (item.kind === 'line') open(item.id)
    if (item.kind === 'fold') unfold(item.id)
  }
  const cursor = useCursor(items, act, show)
  useEffect(() => {
    if (more && to > items.length - ahead) fetchMore()
  }, [more, to, items.length, fetchMore])
  function click(event: MouseEvent<HTMLElement>): void {
    if (!(event.target instanceof Element) || window.getSelection()?.toString()) return
    if (event.target.closest('.log-detail')) return
    const line = event.target.closest('[data-line]')?.getAttribute('data-line')
    const fold = event.target.closest('[data-fold]')?.getAttribute('data-fold')
    if (line) open(line)
    if (fold) unfold(fold)
  }
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: rows have buttons, the list enlarges the click area
    <ul
      ref={list}
      className="log-list"
      aria-label={t('title')}
      aria-busy={props.isDimmed}
      data-dimmed={props.isDimmed || undefined}
      data-columns={columns.length}
      style={{ height: offsets.at(-1), ['--log-columns' as string]: columns.length }}
      onClick={click}
    >
      {items.slice(from, to).map((item, at) => (
        <li
          key={item.id}
          className="log-item"
          style={{ transform: `translateY(${offsets[from + at]}px)` }}
          ref={item.kind === 'detail' ? measure : undefined}
        >
          <RowOf item={item} props={props} cursor={cursor} />
        </li>
      ))}
    </ul>
  )
}
