import type { RestTile } from '../../../contract/explore/dashboards.ts'
import type { PlanAnswer } from '../../../contract/explore/explore.ts'
import type { TimePoint, TimeSeries } from '../../ui/chart/time-series.ts'

type Column = PlanAnswer['columns'][number]
type Cell = PlanAnswer['rows'][number][number]

/** The lines that a tile shows above its content: that the answer is a part, and that its counts are extrapolated. */
export const noteCount = ({ partial, sampled }: Pick<PlanAnswer['meta'], 'partial' | 'sampled'>): number =>
  (partial ? 1 : 0) + (sampled ? 1 : 0)

/** The name of a series or formula for people: the legend of its query, else its aggregate or expression. */
export function seriesLabel(tile: Pick<RestTile, 'queries'>, name: string, columns: readonly Column[]): string {
  const column = columns.find((own) => own.name === name && own.role !== 'previous')
  const label = column?.label ?? name
  const query = tile.queries.find(({ aggregates, fields }) => aggregates.includes(label) || fields.includes(label))
  const alias = query?.fieldAliases[query.fields.indexOf(label)]
  return alias || query?.name || label
}

const cellText = (cell: Cell): string => (cell === null || cell === '' ? '–' : String(cell))

/** The series of an answer as series of a chart. Groups are named by their values, and by the series if there are several. */
export function chartSeries(tile: Pick<RestTile, 'queries'>, answer: PlanAnswer): TimeSeries[] {
  const names = new Set(answer.series.map(({ name }) => name))
  return answer.series.map(({ name, group, points }) => {
    const own = seriesLabel(tile, name, answer.columns)
    const values = group.map(cellText).join(', ')
    const label = group.length === 0 ? own : names.size > 1 ? `${values}: ${own}` : values
    return { key: JSON.stringify([name, group]), label, points }
  })
}

/** The unit that all series share; null if they differ. */
export function sharedUnit({ columns }: Pick<PlanAnswer, 'columns'>): string | null {
  const units = new Set(columns.filter(({ role }) => role === 'series' || role === 'formula').map(({ unit }) => unit))
  const [only] = units
  return units.size === 1 ? (only ?? null) : null
}

/** A value with the one of the previous period, and the change as a share. Null: there is none. */
type BigNumber = { value: number | null; previous: number | null; change: number | null; unit: string | null }

const numberOf = (cell: Cell | undefined): number | null => (typeof cell === 'number' ? cell : null)

/** The number of a tile: its last formula, else its first series. */
export function bigNumber({ columns, rows }: Pick<PlanAnswer, 'columns' | 'rows'>): BigNumber {
  const column = columns.findLast(({ role }) => role === 'formula') ?? columns.find(({ role }) => role === 'series')
  const [row = []] = rows
  const value = column === undefined ? null : numberOf(row[columns.indexOf(column)])
  const before = columns.findIndex(({ name, role }) => role === 'previous' && name === column?.name)
  const previous = before < 0 ? null : numberOf(row[before])
  const change = value === null || previous === null || previous === 0 ? null : (value - previous) / Math.abs(previous)
  return { value, previous, change, unit: column?.unit ?? null }
}

/** A heat map: one row per group, one cell per interval. `share`: of the largest value, 0 to 1; null without data. */
type HeatRow = {
  key: string
  label: string
  cells: (Pick<TimePoint, 'startMs' | 'value'> & { share: number | null })[]
}

export function heatRows(tile: Pick<RestTile, 'queries'>, answer: PlanAnswer): HeatRow[] {
  const first = answer.series[0]?.name
  const shown = { ...answer, series: answer.series.filter(({ name }) => name === first) }
  const most = Math.max(0, ...shown.series.flatMap(({ points }) => points.map(({ value }) => value ?? 0)))
  return chartSeries(tile, shown).map(({ key, label, points }) => ({
    key,
    label,
    cells: points.map(({ startMs, value }) => ({
      startMs,
      value,
      share: value === null ? null : most > 0 ? Math.max(0, value) / most : 0,
    })),
  }))
}
