import { dedupSettings, type EventsKind } from '../kind.ts'
import { settingsOf } from './settings.ts'

/** Table of sums of spans, and the view that fills it from inserted spans. */
export const spanRollupName = 'span_rollup'
export const spanRollupFeed = `${spanRollupName}_feed`

/** Web vitals, with the upper limits of a good and of an acceptable value. ms, and no unit for cls. */
const vitals = [
  ['lcp', 2500, 4000],
  ['fcp', 1000, 3000],
  ['inp', 200, 500],
  ['cls', 0.1, 0.25],
  ['ttfb', 800, 1800],
] as const

/** Buckets of values for each doubling: a bucket is 4.4% wide for routes, and 9% for statements. */
const perDoubling = { route: 16, statement: 8 } as const

/**
 * What a span adds, as tuples of metric, value in millionths, and rating (0 good, 1 acceptable, 2 poor). A segment adds
 * its duration; one that an SDK cut off is apart, because its duration is a limit of the SDK.
 */
const facts = `arrayConcat(
    if(is_segment, [(if(cut = '', 'duration', 'cut'), toFloat64(duration), toUInt8(0))], []),
    if(statement = '', [], [('statement', toFloat64(duration), toUInt8(0))]),
    arrayMap(
      vital -> (vital.1, measurements[vital.1] * vital.4,
        toUInt8((measurements[vital.1] > vital.2) + (measurements[vital.1] > vital.3))),
      arrayFilter(
        vital -> mapContains(measurements, vital.1),
        [${vitals.map(([name, good, fair]) => `('${name}', toFloat64(${good}), toFloat64(${fair}), toFloat64(${name === 'cls' ? 1_000_000 : 1000}))`).join(', ')}])))`

/** Number of facts of a span, to compare the rollup with its spans. */
export const factCount = `is_segment + (statement != '') + length(arrayFilter(
  name -> name IN (${vitals.map(([name]) => `'${name}'`).join(', ')}), mapKeys(measurements)))`

/** Key of a row. `hour` is the start of its hour (`length` 0) or day (1), by the start of the spans. */
export const spanRollupKeys =
  'day, project_id, length, metric, hour, route, op, statement, environment, release, rating, bucket'
/**
 * Order of the table. Routes come before hours: a chart of one route reads its rows, not those of all routes (72 ms to 20
 * for a week of 10 million spans). A range of days is found by partition.
 */
export const spanRollupOrder =
  'project_id, length, metric, route, op, hour, statement, environment, release, rating, bucket'
const sums = 'n, weight, failed, total'
export const spanRollupColumns = `${spanRollupKeys}, ${sums}`

/**
 * Selects spans as rows of the rollup. A statement has its category as op, the routes that call it and no release. An
 * hour or a day of a value's bucket is one row, so sums over any time give its percentiles, histogram and Apdex.
 */
export const spanRollupSelect = (spans: string, where = '1'): string => `SELECT day, project_id, length, metric,
    if(length = 0, its_hour, toStartOfDay(its_hour)) AS hour, route, op, statement, environment, release, rating, bucket,
    n, weight, failed, total
  FROM (SELECT toDate(received) AS day, project_id, fact.1 AS metric, toStartOfHour(toDateTime(start, 'UTC')) AS its_hour, route,
      if(fact.1 = 'statement', category, its_op) AS op, if(fact.1 = 'statement', its_statement, '') AS statement, environment,
      if(fact.1 = 'statement', '', its_release) AS release, fact.3 AS rating,
      toInt16(floor(log2(greatest(fact.2, 1)) * if(fact.1 = 'statement', ${perDoubling.statement}, ${perDoubling.route}))) AS bucket,
      count() AS n, sum(its_weight) AS weight, sum(its_weight * its_failed) AS failed, sum(its_weight * fact.2) AS total
    FROM (SELECT project_id, received, start, route, op AS its_op, category, statement AS its_statement, environment,
        release AS its_release, toFloat64(weight) AS its_weight, failed AS its_failed, ${facts} AS facts
      FROM ${spans} WHERE (is_segment OR statement != '' OR notEmpty(measurements)) AND ${where})
    ARRAY JOIN facts AS fact
    GROUP BY day, project_id, metric, its_hour, route, op, statement, environment, release, rating, bucket)
  ARRAY JOIN range(2)::Array(UInt8) AS length`

/** Statement that creates the rollup of spans. Partitions are days of `received`, as in spans. Its view follows later. */
export const spanRollupTable = (
  database: string,
  kind: EventsKind,
): string => `CREATE TABLE IF NOT EXISTS ${database}.${spanRollupName} (
  day Date,
  project_id UInt64,
  length UInt8,
  metric LowCardinality(String),
  hour DateTime('UTC') CODEC(Delta, ZSTD(1)),
  route LowCardinality(String),
  op LowCardinality(String),
  statement LowCardinality(String),
  environment LowCardinality(String),
  release LowCardinality(String),
  rating UInt8,
  bucket Int16 CODEC(Delta, ZSTD(1)),
  n SimpleAggregateFunction(sum, UInt64) CODEC(ZSTD(1)),
  weight SimpleAggregateFunction(sum, Float64) CODEC(ZSTD(1)),
  failed SimpleAggregateFunction(sum, Float64) CODEC(ZSTD(1)),
  total SimpleAggregateFunction(sum, Float64) CODEC(ZSTD(1))
) ENGINE = ${kind.engines.sums} PARTITION BY day
ORDER BY (${spanRollupOrder})
SETTINGS index_granularity = 1024, ${dedupSettings(kind)}, ${settingsOf(spanRollupName)}`

/** Statement that creates the view of the rollup. Safe to repeat. */
export const spanRollupView = (database: string): string =>
  `CREATE MATERIALIZED VIEW IF NOT EXISTS ${database}.${spanRollupFeed} TO ${database}.${spanRollupName} AS
${spanRollupSelect(`${database}.spans`)}`
