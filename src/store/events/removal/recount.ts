import type { Connection } from '../connection.ts'
import {
  derivedRows,
  longer,
  ofProject,
  projectSpan,
  rollupKeys,
  rollupNames,
  rollupSelect,
} from '../schema/rollups.ts'
import { type Length, lengths, rounded } from '../traces/spans.ts'

/** The rollup rows to recount: a condition on projects and groups with its values, and hours (seconds since 1970). */
type RecountRequest = { where: string; bound: Record<string, unknown>; hours: readonly number[]; seconds: number }

const values = 'n, first_at, last_at, users'
/** Without insert_deduplicate = 0 the engine drops identical counts as a duplicate insert. */
const withoutDedup = 'SETTINGS insert_deduplicate = 0'

/**
 * Recounts hours of the rollups by issue from stored and downsampled rows, then their days from the hours and their weeks
 * from the days. `recountProjects` must follow. The caller prevents inserts and queries meanwhile (gate.ts).
 */
export async function recount(
  connection: Connection,
  database: string,
  { where, bound, hours, seconds }: RecountRequest,
): Promise<void> {
  if (hours.length === 0) return
  const all = {
    ...bound,
    hours: [...new Set(hours)],
    from: hours.reduce((a, b) => Math.min(a, b)),
    to: hours.reduce((a, b) => Math.max(a, b)) + 3600,
  }
  const run = (sql: string) => connection.command(sql, all, { seconds })
  for (const name of rollupNames) {
    const span = name === 'issue_time' ? 'AND span = 0' : ''
    await run(
      `DELETE FROM ${database}.${name} WHERE ${where} ${span} AND has({hours:Array(UInt32)}, toUnixTimestamp(hour))`,
    )
    await run(
      `INSERT INTO ${database}.${name} (${rollupKeys}, ${values})
       SELECT ${rollupKeys}, ${values} FROM (${rollupSelect} FROM ${database}.events
         WHERE ${where} AND timestamp >= toDateTime64({from:UInt32}, 6, 'UTC') AND timestamp < toDateTime64({to:UInt32}, 6, 'UTC')
           AND has({hours:Array(UInt32)}, toUnixTimestamp(toStartOfHour(timestamp)))
         GROUP BY ${rollupKeys} UNION ALL
         SELECT ${rollupKeys}, ${values} FROM ${database}.thinned
         WHERE ${where} AND has({hours:Array(UInt32)}, toUnixTimestamp(hour)))
       ${withoutDedup}`,
    )
  }
  const table = `${database}.issue_time`
  for (const item of longer) {
    const starts = hours.map((hour) => rounded(Math.floor, hour * 1000, lengths[item.span]) / 1000)
    const own = { ...all, starts: [...new Set(starts)] }
    const within = (start: string) => `${where} AND has({starts:Array(UInt32)}, toUnixTimestamp(${start}))`
    await connection.command(`DELETE FROM ${table} WHERE span = ${item.span} AND ${within('hour')}`, own, { seconds })
    await connection.command(`${derivedRows(database, item, within(item.start('hour')))} ${withoutDedup}`, own, {
      seconds,
    })
  }
}

/** `hours` (seconds since 1970) limits the work to periods that contain one of them; without it all are compared. */
type ProjectsRequest = { projectIds: readonly number[]; hours?: readonly number[] | undefined; seconds: number }
/** Starts (seconds since 1970) of the periods of a project that differ, by span, and whether any of them has rows. */
type Differing = { projectId: number; starts: Record<number, number[]>; hasRows: boolean }

/** User states have up to 2.5 kB each, and a block of the default size has 65,000 of them. */
const smallBlocks = 'max_block_size = 2048, max_threads = 2'

const nameOf = ({ span }: { span: number }) => `starts${span}`
/** Condition for the rows of a span whose period begins at one of its starts. */
const compileStarts = (item: (typeof ofProject)[number], start: string): string =>
  `toUnixTimestamp(${start}) IN {${nameOf(item)}:Array(UInt32)}`

/** Finds the periods of projects whose rows differ from the sum of the hours of their issues: in one pass. */
async function differingPeriods(
  connection: Connection,
  database: string,
  { projectIds, hours, seconds }: ProjectsRequest,
): Promise<Differing[]> {
  const startsOf = (length: Length) =>
    [...new Set(hours)].map((hour) => rounded(Math.floor, hour * 1000, length) / 1000)
  // Whole weeks: the sums of a day and a week need all of their hours.
  const weeks = `toUnixTimestamp(${ofProject[2].start('hour')}) IN {weeks:Array(UInt32)}`
  const where = `project_id IN {projects:Array(UInt64)} AND ${hours ? weeks : '1'}`
  const begin = ofProject.map((item) => `(toUInt8(${item.span}), toDateTime(${item.start('hour')}, 'UTC'))`).join(', ')
  const found = await connection.rows<{ project: string; span: number; start: number; has_rows: number }>(
    `SELECT project, span, toUnixTimestamp(begin) AS start, max(stored) AS has_rows FROM (
       SELECT project_id AS project, week, environment, period.1 AS span, period.2 AS begin, toInt64(sum(n)) AS m, 0 AS stored
       FROM ${database}.hour_issue ARRAY JOIN [${begin}] AS period WHERE ${where} GROUP BY ALL
       UNION ALL
       SELECT project_id AS project, week, environment, span, hour AS begin, -toInt64(sum(n)) AS m, 1 AS stored
       FROM ${database}.issue_time WHERE span >= ${projectSpan} AND ${where} GROUP BY ALL)
     GROUP BY project, week, environment, span, begin HAVING sum(m) != 0`,
    { projects: projectIds, ...(hours ? { weeks: startsOf('week') } : {}) },
    { seconds },
  )
  const wanted = new Map(ofProject.map((item) => [item.span as number, new Set(startsOf(item.length))]))
  const byProject = Map.groupBy(
    found.filter(({ span, start }) => !hours || wanted.get(span)?.has(start)),
    ({ project }) => Number(project),
  )
  return [...byProject].map(([projectId, periods]) => ({
    projectId,
    starts: Object.fromEntries(
      ofProject.map(({ span }) => [
        span,
        [...new Set(periods.filter((period) => period.span === span).map(({ start }) => start))],
      ]),
    ),
    hasRows: periods.some((period) => period.has_rows > 0),
  }))
}

/**
 * Rebuilds the rows of projects that differ from the sum of their issues: hours, then days and weeks. The comparison makes
 * it safe to repeat after a crash, and cheap if nothing differs. The caller prevents inserts and queries meanwhile.
 */
export async function recountProjects(
  connection: Connection,
  database: string,
  request: ProjectsRequest,
): Promise<void> {
  if (request.projectIds.length === 0 || request.hours?.length === 0) return
  for (const { projectId, starts, hasRows } of await differingPeriods(connection, database, request)) {
    const bound = {
      project: projectId,
      ...Object.fromEntries(ofProject.map((item) => [nameOf(item), starts[item.span]])),
    }
    const run = (sql: string) => connection.command(sql, bound, { seconds: request.seconds })
    const each = ofProject.map((item) => `(span = ${item.span} AND ${compileStarts(item, 'hour')})`).join(' OR ')
    // A deletion waits for the merges of the table, even if it finds nothing: 25 s for a first start with 42 parts.
    if (hasRows) await run(`DELETE FROM ${database}.issue_time WHERE project_id = {project:UInt64} AND (${each})`)
    for (const item of ofProject) {
      if (starts[item.span]?.length === 0) continue
      const where = `project_id = {project:UInt64} AND ${compileStarts(item, item.start('hour'))}`
      await run(`${derivedRows(database, item, where)} ${withoutDedup}, ${smallBlocks}`)
    }
  }
}
