import type { Plan } from '../../../contract/explore/explore.ts'
import { planLimits } from '../../../domain/datasets.ts'
import { isRelativeRange } from '../../../domain/time-ranges.ts'
import { viewColumnsMax, viewFacetsMax } from '../../../domain/view-scopes.ts'
import type { ApiRequest } from '../../client/api.ts'
import { type Range, rangeOf } from '../search/range.ts'

// Server page and browser both use this module, so that they read a URL the same way.

export const logModes = ['lines', 'patterns'] as const
export type LogMode = (typeof logModes)[number]
/** The range of the list without a parameter. */
export const logsPeriod = '24h'
/** Lines of one request. */
export const linesPerPage = 100
export const columnsMax = viewColumnsMax
export const fieldsMax = viewFacetsMax
const nameCharactersMax = 200
const queryCharactersMax = 4096

/** The state of the screen, as in its URL. */
export type LogParams = {
  q: string
  project: string
  env: string
  range: Range
  mode: LogMode
  /** Fields beside the message. */
  columns: string[]
  /** Facets that the reader added. */
  fields: string[]
  /** New lines are shown as they are stored. */
  live: boolean
  /** The id of the open line; '' for none. */
  line: string
}

type RawParams = Record<
  'q' | 'project' | 'env' | 't' | 'from' | 'to' | 'mode' | 'columns' | 'fields' | 'live' | 'line',
  string | null
>

const listOf = (text: string | null, max: number): string[] =>
  [...new Set((text ?? '').split(',').map((name) => name.trim()))]
    .filter((name) => name !== '' && name.length <= nameCharactersMax)
    .slice(0, max)

/** Reads the parameters. Unknown values fall back to the defaults: lines of the last 24 hours. */
export function logParams(raw: RawParams): LogParams {
  const period = raw.t ?? ''
  return {
    q: (raw.q ?? '').trim().slice(0, queryCharactersMax),
    project: raw.project ?? '',
    env: raw.env ?? '',
    range: rangeOf({ t: isRelativeRange(period) ? period : logsPeriod, from: raw.from, to: raw.to }),
    mode: logModes.find((mode) => mode === raw.mode) ?? 'lines',
    columns: listOf(raw.columns, columnsMax),
    fields: listOf(raw.fields, fieldsMax),
    live: raw.live === '1',
    line: /^[\d-]{1,80}$/.test(raw.line ?? '') ? (raw.line ?? '') : '',
  }
}

/** Reads the parameters of a query string. */
export const logParamsOf = (search: URLSearchParams): LogParams => {
  const read = (name: keyof RawParams) => search.get(name)
  return logParams({
    q: read('q'),
    project: read('project'),
    env: read('env'),
    t: read('t'),
    from: read('from'),
    to: read('to'),
    mode: read('mode'),
    columns: read('columns'),
    fields: read('fields'),
    live: read('live'),
    line: read('line'),
  })
}

/** The view and the search of a state, as parameters of a REST call. */
export const logQuery = ({ q, env, range }: Pick<LogParams, 'q' | 'env' | 'range'>, projectIds: readonly string[]) =>
  ({
    query: q,
    project: projectIds.length > 0 ? projectIds : undefined,
    environment: env ? env.split(',') : undefined,
    ...(range.kind === 'relative'
      ? { statsPeriod: range.period }
      : { start: new Date(range.fromMs).toISOString(), end: new Date(range.toMs).toISOString() }),
  }) satisfies ApiRequest['query']

/** Whether nothing limits the lines but the range. An empty list then means that none came in it. */
export const isPlain = ({ q, project, env }: LogParams): boolean => q === '' && project === '' && env === ''

/** The lines of a state as rows to export: when, how severe, the chosen columns, and the text; newest first. */
export const logPlan = ({ q, columns }: Pick<LogParams, 'q' | 'columns'>): Plan => ({
  dataset: 'logs',
  query: q,
  columns: [...new Set(['timestamp', 'severity', 'project', ...columns, 'message'])],
  groupBy: [],
  series: [],
  formulas: [],
  order: '-timestamp',
  limit: planLimits.rows,
})
