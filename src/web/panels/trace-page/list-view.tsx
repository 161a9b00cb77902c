'use client'
import { useTranslations } from 'next-intl'
import { useMemo, useRef, useState } from 'react'
import { PlainText } from '../../ui/plain-text.tsx'
import { Rail } from '../../ui/rail.tsx'
import type { TraceModel } from './model.ts'
import { rowPx } from './paint.ts'
import { useSize } from './use-size.ts'
import type { TraceControls } from './use-trace.ts'
import { useWords } from './words.ts'

const columns = ['self', 'duration', 'start'] as const
type Column = (typeof columns)[number]
const overscan = 12
const headPx = 28

/** The matching spans, or all of them, by a column. */
function sortedNodes({ tree, selfUs }: TraceModel, matches: Int32Array | undefined, by: Column): Int32Array {
  const nodes = matches?.slice() ?? tree.order.filter((node) => node < tree.spanCount)
  const values = { self: selfUs, duration: tree.durations, start: tree.starts }[by]
  const sign = by === 'start' ? 1 : -1
  return nodes.sort((a, b) => sign * ((values[a] ?? 0) - (values[b] ?? 0)) || a - b)
}

/** The spans as a table: by self time it names what to look at first. */
export function ListView({ trace }: { trace: TraceControls }) {
  const t = useTranslations('trace')
  const words = useWords(trace.model)
  const scroller = useRef<HTMLDivElement>(null)
  const { height } = useSize(scroller)
  const [by, setBy] = useState<Column>('self')
  const [first, setFirst] = useState(0)
  const { model, matches, selected } = trace
  const { tree, view } = model
  const nodes = useMemo(() => sortedNodes(model, matches, by), [model, matches, by])
  const shown = Array.from(nodes.subarray(first, first + Math.ceil(height / rowPx) + overscan * 2))
  return (
    <div
      ref={scroller}
      className="tp-scroll tp-list"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolled area needs the focus for the keys of the browser
      tabIndex={0}
      onScroll={(event) => setFirst(Math.max(0, Math.floor(event.currentTarget.scrollTop / rowPx) - overscan))}
    >
      <table style={{ height: nodes.length * rowPx + headPx }}>
        <thead>
          <tr>
            <th>{t('span')}</th>
            <th>{t('project')}</th>
            {columns.map((column) => (
              <th key={column} aria-sort={column === by ? (by === 'start' ? 'ascending' : 'descending') : undefined}>
                <button type="button" onClick={() => setBy(column)}>
                  {t(`column.${column}`)}
                </button>
              </th>
            ))}
            <th>{t('share')}</th>
          </tr>
        </thead>
        <tbody style={{ transform: `translateY(${first * rowPx}px)` }}>
          {shown.map((node) => (
            <tr
              key={node}
              aria-selected={selected?.kind === 'node' && selected.ref === node}
              onClick={() => trace.reveal(node)}
            >
              <td>
                <b>
                  <PlainText text={words.op(node)} charactersMax={60} />
                </b>{' '}
                <span className="tp-mono">
                  <PlainText text={words.name(node)} charactersMax={200} />
                </span>
              </td>
              <td>
                {(view.projects[view.spans.projects[node] ?? 0]?.place ?? -1) >= 0 ? (
                  <Rail place={view.projects[view.spans.projects[node] ?? 0]?.place ?? 0} />
                ) : null}{' '}
                {words.project(node)}
              </td>
              <td>{words.duration(model.selfUs[node] ?? 0)}</td>
              <td>{words.duration(tree.durations[node] ?? 0)}</td>
              <td>{words.duration((tree.starts[node] ?? 0) - model.fromUs)}</td>
              <td>{words.share(model.selfUs[node] ?? 0)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
