'use client'
import { useTranslations } from 'next-intl'
import type { PlanAnswer } from '../../../contract/explore/explore.ts'
import { TimeChart } from '../../ui/chart/time-chart.tsx'
import type { TimeSeries } from '../../ui/chart/time-series.ts'
import { Segments } from '../../ui/segments.tsx'
import { groupName, unitOf } from './cells.ts'
import { chartKinds, type ExploreParams } from './params.ts'

/** Lines of one chart: more cannot be told apart. */
const linesMax = 8

/** The series of an answer as charts: one for each unit, and one for formulas. Seconds, counts and shares have no axis in common. */
export function AnswerChart({
  organization,
  params,
  answer,
  range,
  onSelect,
  change,
}: {
  organization: string
  params: ExploreParams
  answer: PlanAnswer
  range: { fromMs: number; toMs: number }
  onSelect: (fromMs: number, toMs: number) => void
  change: (next: ExploreParams) => void
}) {
  const t = useTranslations('explore')
  const columns = new Map(answer.columns.map((column) => [column.name, column]))
  const several = new Set(answer.series.map(({ name }) => name)).size > 1
  const charts = new Map<string, { unit: string | null; series: TimeSeries[] }>()
  for (const [at, { name, group, points }] of answer.series.entries()) {
    const column = columns.get(name)
    const unit = column ? unitOf(column) : null
    const label = column?.label || name
    const groupText = groupName(group, t('noValue'))
    const text = groupText === '' ? label : several ? `${groupText}, ${label}` : groupText
    const key = `${column?.role === 'formula' ? name : ''} ${unit ?? ''}`
    const chart = charts.get(key) ?? { unit, series: [] }
    charts.set(key, chart)
    chart.series.push({
      key: `${name}-${at}`,
      label: text,
      points: points.map(({ previous = null, ...point }) => ({ ...point, previous })),
    })
  }
  const { fromMs, toMs } = range
  return (
    <div className="explore-charts">
      <Segments
        label={t('chartKind')}
        value={params.kind}
        choices={chartKinds.map((kind) => ({ value: kind, label: t(`kinds.${kind}`) }))}
        onChange={(kind) => change({ ...params, kind })}
      />
      {[...charts].map(([key, { unit, series }]) => (
        <div key={key}>
          <TimeChart
            label={t('chart')}
            kind={params.kind}
            series={series.slice(0, linesMax)}
            unit={unit}
            fromMs={fromMs}
            toMs={toMs}
            organization={organization}
            onSelect={onSelect}
          />
          {series.length > linesMax ? (
            <p className="explore-note">{t('moreSeries', { shown: linesMax, count: series.length })}</p>
          ) : null}
        </div>
      ))}
    </div>
  )
}
