'use client'
import { useTranslations } from 'next-intl'
import { Fragment, type ReactNode, type RefObject } from 'react'

/** A column after the name. A phone has no room for `wide` ones. */
export type Column = {
  name: string
  label: ReactNode
  title?: string | undefined
  isWide?: boolean
  isText?: boolean
  isSorted?: boolean
}

type RowsTableProps<Row> = {
  table: RefObject<HTMLTableElement | null>
  label: string
  className?: string
  /** The head of the names. */
  first: string
  columns: readonly Column[]
  rows: readonly Row[]
  keyOf: (row: Row) => string
  /** The selected row, by keys or by a click. */
  at: number
  select: (at: number) => void
  nameOf: (row: Row) => ReactNode
  /** One `td` for each column. */
  cellsOf: (row: Row) => ReactNode
  /** Whether the percentiles of a row are rough. */
  isFewOf?: (row: Row) => boolean
  /** What is open below a row. */
  openedOf?: (row: Row) => ReactNode
}

/** A list of the performance pages: a name and figures. */
export function RowsTable<Row>(props: RowsTableProps<Row>) {
  const { table, label, className = '', first, columns, rows, keyOf, at, select, nameOf, cellsOf } = props
  const few = useTranslations('performance.sampled')('fewRow')
  return (
    <div className="performance-table-box">
      <table ref={table} className={`performance-table ${className}`.trimEnd()} aria-label={label}>
        <thead>
          <tr>
            <th scope="col">{first}</th>
            {columns.map((column) => (
              <th
                key={column.name}
                scope="col"
                className={cellClass(column)}
                title={column.title}
                aria-sort={column.isSorted ? 'descending' : undefined}
              >
                {column.label}
                {column.isSorted ? ' ↓' : ''}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => {
            const opened = props.openedOf?.(row)
            const isFew = props.isFewOf?.(row)
            return (
              <Fragment key={keyOf(row)}>
                {/* biome-ignore lint/a11y/useKeyWithClickEvents: j and k select too, and the row has a link or a button */}
                <tr
                  data-cursor={index === at || undefined}
                  aria-current={index === at || undefined}
                  data-few={isFew || undefined}
                  title={isFew ? few : undefined}
                  onClick={() => select(index)}
                >
                  <th scope="row">{nameOf(row)}</th>
                  {cellsOf(row)}
                </tr>
                {opened ? (
                  <tr className="performance-opened">
                    <td colSpan={columns.length + 1}>{opened}</td>
                  </tr>
                ) : null}
              </Fragment>
            )
          })}
        </tbody>
      </table>
    </div>
  )
}

/** The class of the cells of a column. */
const cellClass = ({ isWide, isText }: Pick<Column, 'isWide' | 'isText'>): string | undefined =>
  [isText ? '' : 'number', isWide ? 'performance-wide' : ''].filter((name) => name !== '').join(' ') || undefined
