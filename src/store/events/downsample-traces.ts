import type { Connection } from './connection.ts'
import { keptTracesName, removedSpansName } from './schema/downsampled-spans.ts'
import { segmentColumns, segmentsName, segmentsSelect } from './schema/segments.ts'
import { factCount } from './schema/span-rollup.ts'

/**
 * Shares of the traces that stay at each level, beside the kept ones. Each level is a subset of the one before. Four
 * rewrites of a day at most: halving six times would write a day twice as often for the same end.
 */
export const traceLevels = [1 / 2, 1 / 4, 1 / 16, 0] as const

/** A step: the spans of a day (of arrival) before a position, and the level that they get. */
export type TraceCut = { step: number; day: string; before: number; level: number }

/** Spans or transactions that a step removes, by project. */
type RemovedSpans = { projectId: number; category: 'span' | 'transaction'; rows: number }

export type TraceDownsampleStore = {
  /** Returns the days of arrival that have spans, oldest first. */
  spanDays(): Promise<string[]>
  /** Stores which traces the step keeps. Replaces the choice of an interrupted attempt. */
  chooseTraces(cut: TraceCut): Promise<void>
  /**
   * Writes the spans that stay, with their new weights, into a table beside the spans. Changes nothing else. `rows`: the
   * spans of the day before the step. `kept`: those that stay. Later spans of the day are copied as they are: a
   * repeated step must not remove what arrived since. Throws if a second copy of the day does not fit on the disk.
   */
  buildDay(cut: TraceCut): Promise<{ rows: number; kept: number; removed: RemovedSpans[] }>
  /** Counts the spans of the day that the step cannot see. It must not replace the day if there are any. */
  spansAfter(cut: TraceCut): Promise<number>
  /**
   * Replaces the day with what `buildDay` wrote: its segments, then its spans. The rollup does not change. Nothing may be
   * inserted meanwhile.
   */
  replaceDay(cut: TraceCut): Promise<void>
  /**
   * Counts spans of the day. `older`: from before the step: all before `replaceDay`, and later what a power cut restored.
   * `own`: those that the step or a later one wrote.
   */
  spansOfStep(cut: TraceCut): Promise<{ older: number; own: number }>
  /** Deletes restored spans from before the step, and copies the segments of the day again. */
  removeBeforeStep(cut: TraceCut): Promise<void>
  /** Copies the segments of the day again: a power cut can restore them alone. Nothing may be inserted meanwhile. */
  copySegments(cut: TraceCut): Promise<void>
  /** Deletes what the step no longer needs: after its check, or if it was given up. */
  forgetTraces(step: number): Promise<void>
}

const workSeconds = 3600
/** Traces whose ids are looked up at once: about 20 MB. */
const tracesAtOnce = 200_000
/** More routes by hour than this are counted in 1,000 groups of routes: their sums must fit into memory. */
const strataMax = 200_000
/** Stays free beside the copy of a day: the journal and batches are written meanwhile. */
const spareBytes = 64 * 1024 * 1024
const sampleName = 'spans_sample'
const strataName = 'spans_strata'
const segmentsSampleName = 'segments_sample'
/** Sums and sorts above this spill to disk. Small blocks: a block of a million wide rows took 600 MB. */
const bounded = `SETTINGS max_bytes_before_external_group_by = 100000000, max_bytes_before_external_sort = 100000000,
  max_block_size = 8192, max_threads = 1, max_insert_threads = 1, min_insert_block_size_rows = 65536,
  min_insert_block_size_bytes = 33554432, insert_deduplicate = 0`

const dayForm = /^\d{4}-\d\d-\d\d$/
/** Throws for an invalid day, because the day becomes part of a statement's text. */
function checkedDay(day: string): string {
  if (!dayForm.test(day)) throw new Error(`not a day: ${day}`)
  return day
}

/** Traces below this hash stay: 2^64 times the share of the level. */
const limitOf = (level: number): string => String(BigInt(Math.round((traceLevels[level - 1] ?? 0) * 16)) * 2n ** 60n)

const boundOf = ({ step, day, before, level }: TraceCut): Record<string, unknown> => ({
  step,
  day: checkedDay(day),
  before,
  level,
  limit: limitOf(level),
})

const ofDay = 'toDate(received) = toDate({day:String}) AND jpos < {before:UInt64}'
/** What came after the step: a replayed dead letter keeps its time of arrival and gets a later position. */
const later = 'toDate(received) = toDate({day:String}) AND jpos >= {before:UInt64}'
/** The spans that the step reads. Those of its own level are there if a power cut restored the older ones beside them. */
const older = `${ofDay} AND downsampled < {level:UInt8}`
/** A trace can cross midnight. The days around are read too, so that it stays or goes as a whole. */
const window =
  'toDate(received) BETWEEN toDate({day:String}) - 1 AND toDate({day:String}) + 1 AND jpos < {before:UInt64}'
const hour = "toStartOfHour(toDateTime(start, 'UTC'))"
const category = "if(is_segment AND item = 'transaction', 'transaction', 'span')"

/**
 * Selects the traces that stay whatever the share. `guarded`: with an error, the slowest of each route and hour, the
 * first of each release and day. The others carry weight: the trace with the lowest hash of each route and hour, so that
 * the removed spans always have one that stands for them.
 */
const chosen = (database: string, route: string): string => `SELECT {step:UInt64}, trace_id, max(its_guard) FROM (
    SELECT trace_id, 1 AS its_guard FROM ${database}.spans WHERE ${window} AND failed GROUP BY trace_id
    UNION ALL
    SELECT trace_id, 1 AS its_guard FROM ${database}.events
    WHERE ${window} AND type != 'generic' GROUP BY trace_id
    UNION ALL
    SELECT argMax(trace_id, (duration, trace_id)), 1 AS its_guard FROM ${database}.spans
    WHERE ${window} AND is_segment AND cut = '' GROUP BY toDate(received), project_id, ${route}, ${hour}
    UNION ALL
    SELECT argMin(trace_id, (start, trace_id)), 1 AS its_guard FROM ${database}.spans
    WHERE ${window} AND is_segment AND release != '' GROUP BY toDate(received), project_id, release
    UNION ALL
    SELECT argMin(trace_id, (cityHash64(trace_id), trace_id)), 0 AS its_guard FROM ${database}.spans
    WHERE ${window} AND NOT failed GROUP BY toDate(received), project_id, ${route}, ${hour}, is_segment
  ) GROUP BY trace_id`

type Sums = { project: string; category: RemovedSpans['category']; n: string }

/** Queries and statements of one database. */
function createSteps(connection: Connection, database: string) {
  const run = (sql: string, bound: Record<string, unknown> = {}) =>
    connection.command(sql, bound, { seconds: workSeconds })
  const ask = <Row>(sql: string, bound: Record<string, unknown>) =>
    connection.rows<Row>(sql, bound, { seconds: workSeconds })
  const count = async (where: string, bound: Record<string, unknown>, table = 'spans') =>
    Number((await ask<{ n: string }>(`SELECT count() AS n FROM ${database}.${table} WHERE ${where}`, bound))[0]?.n ?? 0)

  /** SQL of the route by which weights are added up. Each try of a step gets the same, because every stratum keeps a row. */
  async function routeOf(cut: TraceCut): Promise<string> {
    const [found] = await ask<{ n: string }>(
      `SELECT uniqCombined(project_id, route, ${hour}) AS n FROM ${database}.spans WHERE ${window}`,
      boundOf(cut),
    )
    return Number(found?.n ?? 0) > strataMax ? 'toString(cityHash64(route) % 1000)' : 'route::String'
  }

  /** Yields conditions that divide the traces into parts, so that the ids of a part fit into memory. */
  async function slicesOf({ step }: TraceCut): Promise<string[]> {
    const traces = await count('step = {step:UInt64}', { step }, keptTracesName)
    const parts = Math.ceil(Math.max(1, traces) / tracesAtOnce)
    return Array.from({ length: parts }, (_, part) => (parts === 1 ? '1' : `cityHash64(trace_id) % ${parts} = ${part}`))
  }

  const sumsOf = (table: string, where: string, cut: TraceCut) =>
    ask<Sums>(
      `SELECT project_id AS project, ${category} AS category, count() AS n FROM ${database}.${table} WHERE ${where}
       GROUP BY project, category ORDER BY project, category`,
      boundOf(cut),
    )
  const dropScratch = async () => {
    for (const name of [sampleName, strataName, segmentsSampleName])
      await run(`DROP TABLE IF EXISTS ${database}.${name} SYNC`)
  }
  /** Throws unless the disk has room for a second copy of the day, and for what else is written meanwhile. */
  const demandSpace = async ({ day }: TraceCut) => {
    const [found] = await ask<{ needed: string; free: string }>(
      `SELECT (SELECT sum(bytes_on_disk) FROM system.parts WHERE active AND database = {database:String}
         AND table IN ('spans', '${segmentsName}') AND partition = {day:String}) AS needed, min(free_space) AS free
       FROM system.disks WHERE name IN (SELECT disk_name FROM system.parts
         WHERE active AND database = {database:String} AND table = 'spans' AND partition = {day:String})`,
      { database, day: checkedDay(day) },
    )
    const needed = Number(found?.needed ?? 0)
    if (needed > 0 && Number(found?.free) < needed + spareBytes)
      throw new Error(`the disk has ${found?.free} bytes free, and a copy of ${day} takes ${needed}`)
  }
  /** Writes the segments of these spans beside the table of segments. */
  const copySegmentsOf = async (table: string, where: string, bound: Record<string, unknown>) => {
    await run(`DROP TABLE IF EXISTS ${database}.${segmentsSampleName} SYNC`)
    await run(`CREATE TABLE ${database}.${segmentsSampleName} AS ${database}.${segmentsName}`)
    await run(
      `INSERT INTO ${database}.${segmentsSampleName} (${segmentColumns})
       ${segmentsSelect(`${database}.${table}`, where)} ${bounded}`,
      bound,
    )
  }
  const replaceSegments = ({ day }: TraceCut) =>
    run(
      `ALTER TABLE ${database}.${segmentsName} REPLACE PARTITION '${checkedDay(day)}' FROM ${database}.${segmentsSampleName}`,
    )
  return { run, ask, count, routeOf, slicesOf, sumsOf, dropScratch, demandSpace, copySegmentsOf, replaceSegments }
}

/**
 * Adds up the weights of each route and hour, those of its kept and of its guarded spans. Spans that failed are apart:
 * all of them stay, and so the number of failures stays exact.
 */
const strata = (database: string, route: string, slice: string): string => `INSERT INTO ${database}.${strataName}
  SELECT project_id, ${route}, ${hour}, is_segment, failed, sum(toFloat64(weight)),
    sumIf(toFloat64(weight), its_guard), sumIf(toFloat64(weight), NOT its_guard AND its_place)
  FROM (SELECT project_id, route, start, is_segment, failed, weight,
      trace_id IN (SELECT trace_id FROM ${database}.${keptTracesName} WHERE step = {step:UInt64} AND guarded AND ${slice}) AS its_guard,
      cityHash64(trace_id) < {limit:UInt64}
        OR trace_id IN (SELECT trace_id FROM ${database}.${keptTracesName} WHERE step = {step:UInt64} AND ${slice}) AS its_place
    FROM ${database}.spans WHERE ${older} AND ${slice})
  GROUP BY ALL ${bounded}`

/**
 * Copies the spans that stay. The spans that the share left over take the weight of the removed ones, so that slow and
 * failed traces do not count for others. Only if there are none, the guarded ones take it.
 */
const copied = (database: string, route: string, slice: string): string => `INSERT INTO ${database}.${sampleName}
  SELECT span.* EXCEPT (its_route, its_hour, its_guard)
    REPLACE (toFloat32(span.weight * if(span.its_guard, by_guard, by_share)) AS weight, {level:UInt8} AS downsampled)
  FROM (SELECT *, ${route} AS its_route, ${hour} AS its_hour,
      trace_id IN (SELECT trace_id FROM ${database}.${keptTracesName} WHERE step = {step:UInt64} AND guarded AND ${slice}) AS its_guard
    FROM ${database}.spans
    WHERE ${older} AND ${slice} AND (cityHash64(trace_id) < {limit:UInt64}
      OR trace_id IN (SELECT trace_id FROM ${database}.${keptTracesName} WHERE step = {step:UInt64} AND ${slice}))) AS span
  INNER JOIN (SELECT project_id, route, hour, is_segment, failed,
      if(sum(shared) > 0, (sum(total) - sum(guarded)) / sum(shared), 1) AS by_share,
      if(sum(shared) > 0 OR sum(guarded) = 0, 1, sum(total) / sum(guarded)) AS by_guard
    FROM ${database}.${strataName} GROUP BY project_id, route, hour, is_segment, failed) AS stratum
  ON span.project_id = stratum.project_id AND span.its_route = stratum.route AND span.its_hour = stratum.hour
    AND span.is_segment = stratum.is_segment AND span.failed = stratum.failed
  ${bounded}`

/** See `TraceDownsampleStore.buildDay`. */
async function buildDay(
  connection: Connection,
  database: string,
  cut: TraceCut,
): ReturnType<TraceDownsampleStore['buildDay']> {
  const steps = createSteps(connection, database)
  const { run, routeOf, slicesOf, sumsOf, dropScratch, copySegmentsOf } = steps
  const bound = boundOf(cut)
  await dropScratch()
  await steps.demandSpace(cut)
  // A copy of the definition: REPLACE PARTITION needs the same columns, also those that ALTER added.
  await run(`CREATE TABLE ${database}.${sampleName} AS ${database}.spans`)
  await run(`CREATE TABLE ${database}.${strataName} (project_id UInt64, route String, hour DateTime('UTC'),
    is_segment UInt8, failed UInt8, total Float64, guarded Float64, shared Float64)
    ENGINE = ${connection.kind.engines.rows} ORDER BY (project_id, route, hour)`)
  const route = await routeOf(cut)
  const slices = await slicesOf(cut)
  for (const slice of slices) await run(strata(database, route, slice), bound)
  for (const slice of slices) await run(copied(database, route, slice), bound)
  await run(`INSERT INTO ${database}.${sampleName} SELECT * FROM ${database}.spans WHERE ${later} ${bounded}`, bound)
  await copySegmentsOf(sampleName, '1', {})
  const [before, after] = [await sumsOf('spans', older, cut), await sumsOf(sampleName, ofDay, cut)]
  const kept = new Map(after.map((sum) => [`${sum.project} ${sum.category}`, Number(sum.n)]))
  const removed = before.map(({ project, category: its, n }) => ({
    projectId: Number(project),
    category: its,
    rows: Number(n) - (kept.get(`${project} ${its}`) ?? 0),
  }))
  const sum = (sums: readonly Sums[]) => sums.reduce((total, { n }) => total + Number(n), 0)
  return { rows: sum(before), kept: sum(after), removed: removed.filter(({ rows }) => rows > 0) }
}

/** Creates the downsampling of spans by whole traces. */
export function createTraceDownsampling(connection: Connection, database: string): TraceDownsampleStore {
  const { run, ask, count, routeOf, dropScratch, copySegmentsOf, replaceSegments } = createSteps(connection, database)
  const forgetChoice = (step: number) =>
    run(`ALTER TABLE ${database}.${keptTracesName} DROP PARTITION '${Math.floor(step)}'`)
  const copySegments = async (cut: TraceCut) => {
    await copySegmentsOf('spans', 'toDate(received) = toDate({day:String})', { day: checkedDay(cut.day) })
    await replaceSegments(cut)
    await dropScratch()
  }
  return {
    forgetTraces: async (step) => {
      await dropScratch()
      await forgetChoice(step)
    },
    async spanDays() {
      const found = await ask<{ partition: string }>(
        `SELECT DISTINCT partition FROM system.parts
         WHERE active AND rows > 0 AND database = {database:String} AND table = 'spans' ORDER BY partition`,
        { database },
      )
      return found.map(({ partition }) => partition).filter((partition) => dayForm.test(partition))
    },
    async chooseTraces(cut) {
      await forgetChoice(cut.step)
      const route = await routeOf(cut)
      await run(
        `INSERT INTO ${database}.${keptTracesName} (step, trace_id, guarded) ${chosen(database, route)} ${bounded}`,
        boundOf(cut),
      )
    },
    buildDay: (cut) => buildDay(connection, database, cut),
    spansAfter: async ({ day, before }) => count(later, { day: checkedDay(day), before }),
    async replaceDay(cut) {
      const bound = boundOf(cut)
      await run(`DELETE FROM ${database}.${removedSpansName} WHERE step = {step:UInt64}`, bound)
      await run(
        `INSERT INTO ${database}.${removedSpansName} (day, project_id, step, n)
         SELECT toDate({day:String}), project_id, {step:UInt64}, sum(m) FROM (
           SELECT project_id, toInt64(sum(${factCount})) AS m FROM ${database}.spans WHERE ${older} GROUP BY project_id
           UNION ALL
           SELECT project_id, -toInt64(sum(${factCount})) AS m FROM ${database}.${sampleName} WHERE ${ofDay} GROUP BY project_id)
         GROUP BY project_id HAVING sum(m) != 0 SETTINGS insert_deduplicate = 0`,
        bound,
      )
      // The spans say whether the step was done, so they come last: after a kill between the two, both are replaced again.
      await replaceSegments(cut)
      await run(
        `ALTER TABLE ${database}.spans REPLACE PARTITION '${checkedDay(cut.day)}' FROM ${database}.${sampleName}`,
      )
      await dropScratch()
    },
    async spansOfStep(cut) {
      const all = await count(ofDay, boundOf(cut))
      const before = await count(older, boundOf(cut))
      return { older: before, own: all - before }
    },
    async removeBeforeStep(cut) {
      await run(`DELETE FROM ${database}.spans WHERE ${older}`, boundOf(cut))
      await copySegments(cut)
    },
    copySegments,
  }
}
