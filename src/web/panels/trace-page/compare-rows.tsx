'use client'
import { ChevronDown, ChevronRight } from 'lucide-react'
import { useTranslations } from 'next-intl'
import { useLayoutEffect, useRef } from 'react'
import type { RestComparedRow, RestComparedSide } from '../../../contract/explore/trace-compare.ts'
import { hueOf } from '../../client/op-hue.ts'
import { Link } from '../../ui/link.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { SeverityShape } from '../../ui/severity.tsx'
import { verdictOf } from './compared.ts'
import type { CompareControls } from './use-compare.ts'
import { useCompareWords } from './use-compare-words.ts'

const indentPx = 14
/** Deeper rows are not indented further: the name would have no space. */
const indentMax = 14

/** What B is against A: a sign and a time, or the only trace that has such spans. */
export function Difference({ row, by }: { row: RestComparedRow; by: 'total' | 'self' }) {
  const t = useTranslations('trace.compare')
  const words = useCompareWords()
  const { verdict, ms } = verdictOf(row, by)
  const isSum = by === 'total'
  const sign = { slower: '+', faster: '−', onlyA: isSum ? '' : '−', onlyB: isSum ? '' : '+', same: '' }[verdict]
  return (
    <span className="tc-difference" data-verdict={verdict}>
      {verdict === 'same' ? t('same') : sign ? `${sign}${words.duration(ms)}` : t(verdict)}
    </span>
  )
}

/** The spans of one trace: when they ran, how often and how long. Its bar is on the axis of the longer trace. */
function SideCell({
  compare,
  side,
  row,
  name,
}: {
  compare: CompareControls
  side: RestComparedSide
  row: RestComparedRow
  name: 'a' | 'b'
}) {
  const t = useTranslations('trace')
  const words = useCompareWords()
  if (!side) return <td className="tc-none">–</td>
  const longest = Math.max(compare.data.a.duration, compare.data.b.duration, 0.001)
  const text = `${side.count > 1 ? `${t('times', { count: side.count })} ` : ''}${words.duration(side.total)}`
  return (
    <td>
      <span className="tc-track" aria-hidden="true">
        <span
          className="tc-bar"
          style={{
            left: `${(side.start / longest) * 100}%`,
            width: `${(Math.max(0, side.end - side.start) / longest) * 100}%`,
            background: row.kind === 'span' ? `var(--${hueOf(row.op)})` : 'var(--line-3)',
          }}
        />
      </span>
      {side.failed > 0 ? (
        <SeverityShape level="error" label={t('failedSpans', { count: side.failed })} sizePx={8} />
      ) : null}
      {side.spanID ? (
        <Link href={`/o/${compare.organization}/traces/${compare.data[name].traceID}?span=${side.spanID}`}>{text}</Link>
      ) : (
        text
      )}
    </td>
  )
}

function NameCell({ compare, at, row }: { compare: CompareControls; at: number; row: RestComparedRow }) {
  const t = useTranslations('trace')
  const isOpen = !compare.closed.has(at)
  const Icon = isOpen ? ChevronDown : ChevronRight
  const isBranch = compare.data.rows[at + 1]?.parent === at
  return (
    <th scope="row" style={{ paddingLeft: 20 + Math.min(row.depth, indentMax) * indentPx }}>
      {isBranch ? (
        <button
          type="button"
          className="tp-fold"
          tabIndex={-1}
          aria-expanded={isOpen}
          aria-label={t(isOpen ? 'closeRow' : 'openRow')}
          onClick={(event) => {
            event.stopPropagation()
            compare.toggle(at)
          }}
        >
          <Icon size={13} strokeWidth={1.75} aria-hidden="true" />
        </button>
      ) : (
        <span className="tp-fold" />
      )}
      <b className={row.kind === 'span' ? undefined : 'tp-dim'}>
        <PlainText
          text={row.kind === 'span' ? row.op || t('compare.unnamed') : t(`compare.${row.kind}`)}
          charactersMax={60}
        />
      </b>{' '}
      <span className="tp-mono">
        <PlainText text={row.name} charactersMax={200} />
      </span>
    </th>
  )
}

/** The spans of both traces in one tree. */
export function CompareRows({ compare }: { compare: CompareControls }) {
  const t = useTranslations('trace.compare')
  const trace = useTranslations('trace')
  const table = useRef<HTMLTableElement>(null)
  const { data, shown, selected, select } = compare
  useLayoutEffect(() => {
    if (selected >= 0) table.current?.querySelector(`[data-row="${selected}"]`)?.scrollIntoView({ block: 'nearest' })
  }, [selected])
  return (
    <div className="tc-scroll">
      <table ref={table} className="tc-table">
        <thead>
          <tr>
            <th scope="col">{trace('span')}</th>
            <th scope="col">A</th>
            <th scope="col">B</th>
            <th scope="col">{t('difference')}</th>
          </tr>
        </thead>
        <tbody>
          {shown.map((at) => {
            const row = data.rows[at]
            return row ? (
              <tr
                key={at}
                data-row={at}
                data-verdict={verdictOf(row, 'total').verdict}
                aria-selected={selected === at}
                onClick={() => select(at)}
              >
                <NameCell compare={compare} at={at} row={row} />
                <SideCell compare={compare} side={row.a} row={row} name="a" />
                <SideCell compare={compare} side={row.b} row={row} name="b" />
                <td>
                  <Difference row={row} by="total" />
                </td>
              </tr>
            ) : null
          })}
        </tbody>
      </table>
      {shown.length === 0 ? <p className="tp-loading">{t('noDifference')}</p> : null}
    </div>
  )
}
