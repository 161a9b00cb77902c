'use client'
import dynamic from 'next/dynamic'
import { useLocale, useTranslations } from 'next-intl'
import type { ReactNode } from 'react'
import type { RestTile, RestTileData } from '../../../contract/explore/dashboards.ts'
import type { PlanAnswer } from '../../../contract/explore/explore.ts'
import type { RestAnnotations } from '../../../contract/releases.ts'
import { Link } from '../../ui/link.tsx'
import { measureText } from '../../ui/measure.ts'
import { PlainText } from '../../ui/plain-text.tsx'
import { SeverityShape } from '../../ui/severity.tsx'
import { Time, useTimeText } from '../../ui/time.tsx'
import { TileNotes } from './tile-notes.tsx'
import { bigNumber, chartSeries, heatRows, noteCount, sharedUnit } from './tile-words.ts'

const TimeChart = dynamic(() => import('../../ui/chart/time-chart.tsx').then((module) => module.TimeChart))

/** Height of a row of the grid and of the gap between two rows, px. */
export const rowPx = 132
export const gapPx = 12
/** What a tile has besides its plot: its head, its border and the labels of a chart. */
const chartExtraPx = 106
/** Height of a note above the plot, with its padding. */
const notePx = 22

type ContentProps = {
  organization: string
  tile: RestTile
  data: RestTileData
  annotations: RestAnnotations | undefined
  onSelect: (fromMs: number, toMs: number) => void
}
type AnswerProps = Omit<ContentProps, 'data'> & { answer: PlanAnswer }

/** Content that scrolls inside its tile. It is focusable, so that the arrow keys scroll it. */
function ScrollRegion({ label, children }: { label: string; children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <section className="board-scroll" aria-label={label} tabIndex={0}>
      {children}
    </section>
  )
}

function ChartTile({ organization, tile, answer, annotations, onSelect }: AnswerProps) {
  const kind = tile.displayType === 'area' || tile.displayType === 'bar' ? tile.displayType : 'line'
  return (
    <TimeChart
      organization={organization}
      label={tile.title}
      kind={kind}
      series={chartSeries(tile, answer)}
      unit={sharedUnit(answer)}
      fromMs={answer.meta.fromMs}
      toMs={answer.meta.toMs}
      heightPx={tile.layout.h * (rowPx + gapPx) - gapPx - chartExtraPx - noteCount(answer.meta) * notePx}
      annotations={annotations}
      onSelect={onSelect}
    />
  )
}

/** A number, and its change against the period before. */
function NumberTile({ answer }: { answer: PlanAnswer }) {
  const t = useTranslations('boards.tile')
  const locale = useLocale()
  const measure = measureText(locale)
  const { value, previous, change, unit } = bigNumber(answer)
  const signed = new Intl.NumberFormat(locale, {
    style: 'percent',
    maximumFractionDigits: 0,
    signDisplay: 'exceptZero',
  })
  return (
    <p className="board-number">
      <b>{measure(value, unit)}</b>
      {answer.meta.beforeStored === false ? <span>{t('notStored')}</span> : null}
      {previous === null ? null : (
        <span>
          {change === null ? '' : `${signed.format(change)} `}
          {t('before', { value: measure(previous, unit) })}
        </span>
      )}
    </p>
  )
}

function TableTile({ tile, answer }: { tile: RestTile; answer: PlanAnswer }) {
  const t = useTranslations('boards.tile')
  const measure = measureText(useLocale())
  const { both } = useTimeText()
  const { columns, rows } = answer
  return (
    <ScrollRegion label={tile.title || t('table')}>
      <table className="board-table">
        <thead>
          <tr>
            {columns.map(({ name, label, role, type }) => (
              <th key={`${role} ${name}`} scope="col" data-number={type !== 'string' || undefined}>
                {role === 'previous' ? t('previous', { name: label }) : <PlainText text={label} charactersMax={80} />}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows of an answer have no id and never move
            <tr key={at}>
              {columns.map(({ name, role, type, unit }, place) => {
                const cell = row[place] ?? null
                return (
                  <td key={`${role} ${name}`} data-number={type !== 'string' || undefined}>
                    {type === 'date' && cell !== null ? (
                      <Time at={typeof cell === 'number' ? cell : String(cell)} form="moment" />
                    ) : typeof cell === 'number' ? (
                      <span title={type === 'date' ? both(cell) : String(cell)}>{measure(cell, unit)}</span>
                    ) : (
                      <PlainText text={cell === null || cell === '' ? '–' : String(cell)} charactersMax={200} />
                    )}
                  </td>
                )
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollRegion>
  )
}

/** Values by group and time. The darkest cell is the largest value of the tile. */
function HeatTile({ tile, answer }: { tile: RestTile; answer: PlanAnswer }) {
  const t = useTranslations('boards.tile')
  const measure = measureText(useLocale())
  const { text } = useTimeText()
  const unit = sharedUnit(answer)
  return (
    <ScrollRegion label={tile.title || t('heatMap')}>
      <table className="board-heat">
        <tbody>
          {heatRows(tile, answer).map(({ key, label, cells }) => (
            <tr key={key}>
              <th scope="row">
                <PlainText text={label} charactersMax={60} />
              </th>
              {cells.map(({ startMs, value, share }) => {
                const words = `${text(startMs, 'minute')}: ${measure(value, unit)}`
                const percent = Math.round((share ?? 0) * 88)
                return (
                  <td
                    key={startMs}
                    title={words}
                    style={{ background: `color-mix(in oklab, var(--c1) ${share ? percent + 12 : 0}%, var(--sunken))` }}
                  >
                    <span className="visually-hidden">{words}</span>
                  </td>
                )
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollRegion>
  )
}

const levels = ['fatal', 'error', 'warning', 'info', 'debug'] as const

function IssuesTile({ organization, issues }: { organization: string; issues: NonNullable<RestTileData['issues']> }) {
  const t = useTranslations('boards.tile')
  const locale = useLocale()
  const number = new Intl.NumberFormat(locale, { notation: 'compact', maximumSignificantDigits: 3 })
  return (
    <ul className="board-issues board-scroll">
      {issues.map(({ id, shortId, title, culprit, level, events, users, lastSeen }) => (
        <li key={id}>
          <SeverityShape level={levels.find((known) => known === level) ?? 'error'} label={level} />
          <span>
            <Link href={`/o/${organization}/issues/${id}`}>
              <PlainText text={title} charactersMax={160} />
            </Link>
            <small>
              {shortId} · <PlainText text={culprit} charactersMax={80} />
            </small>
          </span>
          <span className="board-issue-numbers">
            <b>{t('events', { count: events, text: number.format(events) })}</b>
            <small>{t('users', { count: users, text: number.format(users) })}</small>
          </span>
          <Time at={lastSeen} />
        </li>
      ))}
    </ul>
  )
}

/** The text of a tile as it was written: no markup is read from it. */
export function TextTile({ text }: { text: string }) {
  return (
    <div className="board-text board-scroll">
      <PlainText text={text} charactersMax={20_000} />
    </div>
  )
}

/** What a tile shows once its data is there. */
export function TileContent(props: ContentProps) {
  const { tile, data } = props
  const t = useTranslations('boards.tile')
  const { answer, issues } = data
  if (issues)
    return issues.length > 0 ? (
      <IssuesTile organization={props.organization} issues={issues} />
    ) : (
      <p className="board-none">{t('noIssues')}</p>
    )
  if (!answer) return null
  const isEmpty = answer.rows.length === 0 && answer.series.every(({ points }) => points.length === 0)
  if (isEmpty) return <p className="board-none">{t('noData')}</p>
  const { displayType } = tile
  return (
    <>
      <TileNotes about={answer.meta} />
      {displayType === 'table' ? <TableTile tile={tile} answer={answer} /> : null}
      {displayType === 'big_number' ? <NumberTile answer={answer} /> : null}
      {displayType === 'heatmap' ? <HeatTile tile={tile} answer={answer} /> : null}
      {displayType === 'line' || displayType === 'area' || displayType === 'bar' ? (
        <ChartTile {...props} answer={answer} />
      ) : null}
    </>
  )
}
