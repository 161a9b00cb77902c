import type { Connection } from './connection.ts'
import {
  type Derived,
  derivedRows,
  longer,
  ofProject,
  rollupKeys,
  rollupNames,
  rollupSelect,
} from './schema/rollups.ts'
import { type Length, lengths, rounded } from './spans.ts'

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
type Period = { project: string; start: number }

const periodSeconds = { hour: 3600, day: 86_400, week: 604_800 } as const

/** Limit of periods per statement: about 11 kB as a parameter. */
const periodsMax = 1000
/** User states have up to 2.5 kB each, and a block of the default size has 65,000 of them. */
const smallBlocks = 'max_block_size = 2048, max_threads = 2'

/** Condition for rows whose period begins at one of `starts`. The range is for the key. */
const compilePeriods = (start: string): string =>
  `hour >= toDateTime({from:UInt32}, 'UTC') AND hour < toDateTime({to:UInt32}, 'UTC')
   AND toUnixTimestamp(${start}) IN {starts:Array(UInt32)}`

function boundPeriods(starts: readonly number[], length: Length): Record<string, unknown> {
  const [from, to] = [starts.reduce((a, b) => Math.min(a, b)), starts.reduce((a, b) => Math.max(a, b))]
  return { starts: [...new Set(starts)], from, to: to + periodSeconds[length] }
}

/** Finds the periods of a span whose rows differ from the rows that they are built from. */
async function differingPeriods(
  connection: Connection,
  database: string,
  item: Derived & { length: Length },
  { projectIds, hours, seconds }: ProjectsRequest,
): Promise<Map<number, number[]>> {
  const starts = hours?.map((hour) => rounded(Math.floor, hour * 1000, item.length) / 1000)
  const within = (start: string) => `project_id IN {projects:Array(UInt64)} AND ${starts ? compilePeriods(start) : '1'}`
  const found = await connection.rows<Period>(
    `SELECT project, toUnixTimestamp(begin) AS start FROM (
       SELECT project_id AS project, week, environment, ${item.start('hour')} AS begin, toInt64(sum(n)) AS m
       FROM ${database}.${item.from} AND ${within(item.start('hour'))} GROUP BY ALL
       UNION ALL
       SELECT project_id AS project, week, environment, hour AS begin, -toInt64(sum(n)) AS m
       FROM ${database}.issue_time WHERE span = ${item.span} AND ${within('hour')} GROUP BY ALL)
     GROUP BY project, week, environment, begin HAVING sum(m) != 0`,
    { projects: projectIds, ...(starts ? boundPeriods(starts, item.length) : {}) },
    { seconds },
  )
  const byProject = new Map<number, number[]>()
  for (const { project, start } of found)
    byProject.set(Number(project), [...(byProject.get(Number(project)) ?? []), start])
  return byProject
}

/** Cuts the periods of each project into pieces for one statement each, in time order. */
function* inPieces(periods: ReadonlyMap<number, number[]>): Generator<{ project: number; starts: number[] }> {
  for (const [project, found] of periods) {
    const starts = [...new Set(found)].sort((a, b) => a - b)
    for (let at = 0; at < starts.length; at += periodsMax) yield { project, starts: starts.slice(at, at + periodsMax) }
  }
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
  const { projectIds, hours, seconds } = request
  if (projectIds.length === 0 || hours?.length === 0) return
  for (const item of ofProject) {
    const differing = await differingPeriods(connection, database, item, request)
    for (const { project, starts } of inPieces(differing)) {
      const bound = { project, ...boundPeriods(starts, item.length) }
      const within = (start: string) => `project_id = {project:UInt64} AND ${compilePeriods(start)}`
      const run = (sql: string) => connection.command(sql, bound, { seconds })
      await run(`DELETE FROM ${database}.issue_time WHERE span = ${item.span} AND ${within('hour')}`)
      await run(`${derivedRows(database, item, within(item.start('hour')))} ${withoutDedup}, ${smallBlocks}`)
    }
  }
}
