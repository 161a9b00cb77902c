'use client'
import { useLocale, useTranslations } from 'next-intl'
import type { PlanAnswer, PlanCell, PlanColumn } from '../../../contract/explore/explore.ts'
import type { Dataset } from '../../../domain/datasets.ts'
import { Link } from '../../ui/link.tsx'
import { measureText } from '../../ui/measure.ts'
import { PlainText } from '../../ui/plain-text.tsx'
import { ScrollBox } from '../../ui/scroll-box.tsx'
import { Time } from '../../ui/time.tsx'
import { keyOfTag, quoted } from '../search/terms.ts'
import { headingOf, isNumeric, nextOrder, unitOf } from './cells.ts'
import { exploreKeyTable } from './key-tables.ts'

const charactersMax = 300
const traceForm = /^[0-9a-f]{32}$/

/** The page that a cell names, if any. */
function pageOf(organization: string, { name }: PlanColumn, cell: PlanCell): string | undefined {
  const text = String(cell)
  if ((name === 'trace' || name === 'trace_id') && traceForm.test(text)) return `/o/${organization}/traces/${text}`
  if (name === 'id' && traceForm.test(text)) return `/e/${text}`
  if (name === 'release' && text !== '') return `/o/${organization}/releases/${encodeURIComponent(text)}`
  return undefined
}

function Cell({ organization, column, cell }: { organization: string; column: PlanColumn; cell: PlanCell }) {
  const measure = measureText(useLocale())
  const t = useTranslations('explore')
  if (cell === null || cell === '') return <span className="text-ink-3">{t('noValue')}</span>
  if (column.type === 'date') {
    const ms = typeof cell === 'number' ? cell : Date.parse(String(cell))
    return Number.isFinite(ms) ? <Time at={ms} form="moment" /> : <PlainText text={String(cell)} charactersMax={40} />
  }
  if (typeof cell === 'number') return measure(cell, unitOf(column))
  const page = pageOf(organization, column, cell)
  const text = <PlainText text={String(cell)} charactersMax={charactersMax} />
  return page ? (
    <Link className="link" href={page}>
      {text}
    </Link>
  ) : (
    text
  )
}

/** The heading of a column. A press sorts by it. */
function Heading({
  column,
  order,
  setOrder,
}: {
  column: PlanColumn
  order: string
  setOrder: (order: string) => void
}) {
  const t = useTranslations('explore')
  const heading = headingOf(column)
  const direction = order === column.name ? 'ascending' : order === `-${column.name}` ? 'descending' : undefined
  const text = <PlainText text={heading} charactersMax={80} />
  if (column.role === 'previous')
    return (
      <th scope="col" className="number">
        {text} {t('before')}
      </th>
    )
  return (
    <th scope="col" className={isNumeric(column) ? 'number' : undefined} aria-sort={direction}>
      <button
        type="button"
        title={t('sortBy', { name: heading })}
        onClick={() => setOrder(nextOrder(order, column.name))}
      >
        {text}
        <span aria-hidden="true">{direction === 'ascending' ? ' ↑' : direction === 'descending' ? ' ↓' : ''}</span>
      </button>
    </th>
  )
}

/** The rows of an answer. A value of a group is a filter. */
export function AnswerTable({
  organization,
  answer,
  dataset,
  order,
  setOrder,
  query,
  filter,
}: {
  organization: string
  answer: PlanAnswer
  dataset: Dataset
  order: string
  setOrder: (order: string) => void
  query: string
  filter: (query: string) => void
}) {
  const t = useTranslations('explore')
  const { columns, rows } = answer
  const { keyOf } = exploreKeyTable(dataset)
  const canFilter = (column: PlanColumn, cell: PlanCell) =>
    column.role === 'group' && typeof cell === 'string' && cell !== '' && !column.name.includes('[')
  return (
    <ScrollBox label={t('answer')}>
      <table className="explore-table">
        <thead>
          <tr>
            {columns.map((column, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: columns of an answer can have the same name
              <Heading key={at} column={column} order={order} setOrder={setOrder} />
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, place) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows of an answer have no id
            <tr key={place}>
              {columns.map((column, at) => {
                const cell = row[at] ?? null
                return (
                  // biome-ignore lint/suspicious/noArrayIndexKey: columns of an answer can have the same name
                  <td key={at} className={isNumeric(column) ? 'number' : undefined}>
                    {canFilter(column, cell) ? (
                      <button
                        type="button"
                        className="explore-value"
                        title={t('filterBy', { name: column.name })}
                        onClick={() =>
                          filter(`${query} ${keyOfTag(column.name, keyOf)}:${quoted(String(cell))}`.trim())
                        }
                      >
                        <PlainText text={String(cell)} charactersMax={charactersMax} />
                      </button>
                    ) : (
                      <Cell organization={organization} column={column} cell={cell} />
                    )}
                  </td>
                )
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollBox>
  )
}
