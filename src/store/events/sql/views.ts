import { logTextSql } from '../logs/text.ts'
import { type TableName, tableNames } from '../tables.ts'
import { stringLiteral } from './tokens.ts'

/** A project whose rows a statement may read. */
export type SqlProject = { id: number; slug: string }

/** A view: its stored table, and its columns with the SQL of those that are stored in another form. */
type View = { table: TableName; columns: Readonly<Record<string, string>> }

/** Stands for the rows of the stored table. No name of a statement can begin like this. */
const rows = '__rows'

const same = (names: string): Record<string, string> =>
  Object.fromEntries(
    names
      .trim()
      .split(/\s+/)
      .map((name) => [name, `${rows}.${name}`]),
  )
const bytes = (name: string): Record<string, string> => ({ [name]: `lower(hex(${rows}.${name}))` })
/** hex() drops leading zero bytes of a number. */
const id64 = (name: string): Record<string, string> => ({
  [name]: `leftPad(lower(hex(${rows}.${name})), 16, '0')`,
})

/**
 * What a statement reads from, by name. Positions in the journal and columns that only indexes use are left out. `errors`
 * also has security reports and performance issues: their `type` tells.
 */
export const views: Readonly<Record<string, View>> = {
  errors: {
    table: 'events',
    columns: {
      ...same(`project_id timestamp received level environment release transaction type platform message tags payload
        user_hash digest`),
      ...bytes('event_id'),
      ...bytes('trace_id'),
    },
  },
  spans: {
    table: 'spans',
    columns: {
      ...same(`project_id is_segment item transaction op name description start duration self_time status kind origin
        measurements platform release environment user_hash received route category statement weight failed http_status
        tags numbers`),
      ...bytes('trace_id'),
      ...id64('span_id'),
      ...id64('parent_id'),
      ...id64('segment_id'),
    },
  },
  logs: {
    table: 'logs',
    columns: {
      ...same('project_id time severity level'),
      body: logTextSql(`${rows}.`),
      ...same(`template pattern service host logger environment release platform origin user_hash tags numbers repaired
        truncated weight received`),
      ...bytes('trace_id'),
      ...id64('span_id'),
    },
  },
  metrics: {
    table: 'metrics',
    columns: {
      ...same(`project_id time name type unit value count min max sum is_bucket service environment release tags numbers
        folded repaired received`),
      ...bytes('trace_id'),
      ...id64('span_id'),
    },
  },
}

/** The views and their columns, for completion and documentation. */
export const sqlViews = (): { name: string; columns: string[] }[] =>
  Object.entries(views).map(([name, view]) => ({ name, columns: ['project', ...Object.keys(view.columns)] }))

const idList = (projects: readonly SqlProject[]): string =>
  // No project: an empty list is no SQL. No project has the number 0.
  projects.length === 0 ? '0' : projects.map(({ id }) => String(Math.trunc(id))).join(', ')

/**
 * SQL of a view: a subquery of the rows of these projects. PREWHERE, because the engine computes the conditions of a
 * statement together with a WHERE: `toUInt64(message) = 1` then failed on a row of another project and named its text.
 */
export function viewSql(database: string, view: View, projects: readonly SqlProject[]): string {
  const ids = projects.map(({ id }) => String(Math.trunc(id))).join(', ')
  const slugs = projects.map(({ slug }) => stringLiteral(slug)).join(', ')
  const project = ids === '' ? "''" : `transform(${rows}.project_id, [${ids}], [${slugs}], '')`
  const columns = Object.entries(view.columns).map(([name, column]) => `${column} AS \`${name}\``)
  return `(SELECT ${[`${project} AS project`, ...columns].join(', ')} FROM ${database}.${view.table} AS ${rows} PREWHERE ${rows}.project_id IN (${idList(projects)}))`
}

/**
 * The engine's own filter of every stored table, by table. It holds even if a statement names a table in a way that its
 * reader does not know.
 */
export function tableFilters(database: string, projects: readonly SqlProject[]): string {
  const filter = stringLiteral(`project_id IN (${idList(projects)})`)
  return `{${tableNames.map((table) => `'${database}.${table}': ${filter}`).join(', ')}}`
}
