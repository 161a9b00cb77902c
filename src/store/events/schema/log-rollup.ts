import { dedupSettings, type EventsKind } from '../kind.ts'
import { settingsOf } from './settings.ts'

/** Table of counts of log lines, and the view that fills it from inserted lines. */
export const logRollupName = 'log_rollup'
export const logRollupFeed = `${logRollupName}_feed`

/** Length of a slot. Ranges and bars of a screen begin anywhere, so lines at the ends of a range are counted themselves. */
export const slotMs = 300_000

/** Columns of lines that are counted by value. Lines are counted by level and environment as well: under the field ''. */
export const rolledFields = ['service', 'host', 'logger', 'release'] as const
/** The field of the rows that count patterns. They have no level: a pattern nearly always has one. */
export const patternField = 'pattern'

export const logRollupOrder = 'project_id, field, slot, environment, level, value, pattern'
export const logRollupColumns = `day, ${logRollupOrder}, n, weight, first, last`

const sums = 'count() AS its_n, sum(toFloat64(weight)) AS its_weight, min(time) AS its_first, max(time) AS its_last'
const outerSums = 'sum(its_n) AS n, sum(its_weight) AS weight, min(its_first) AS first, max(its_last) AS last'
const keys = "toDate(received) AS day, project_id, toDateTime(toStartOfFiveMinutes(time), 'UTC') AS slot, environment"

/**
 * Selects lines as rows of the rollup. Lines are first counted by all columns together and then by each: 0.18 us of
 * processor time for a line of ten million, and 0.13 for the patterns.
 */
export const logRollupSelect = (
  logs: string,
  where = '1',
): string => `SELECT day, project_id, fact.1 AS field, slot, environment, its_level AS level, fact.2 AS value, toUInt64(0) AS pattern,
    ${outerSums}
  FROM (SELECT ${keys}, toString(level) AS its_level, ${rolledFields.map((field) => `toString(${field}) AS its_${field}`).join(', ')}, ${sums}
    FROM ${logs} WHERE ${where}
    GROUP BY day, project_id, slot, environment, its_level, ${rolledFields.map((field) => `its_${field}`).join(', ')})
  ARRAY JOIN [('', ''), ${rolledFields.map((field) => `('${field}', its_${field})`).join(', ')}] AS fact
  GROUP BY day, project_id, field, slot, environment, level, value
  UNION ALL
  SELECT day, project_id, '${patternField}' AS field, slot, environment, '' AS level, '' AS value, its_pattern AS pattern,
    its_n AS n, its_weight AS weight, its_first AS first, its_last AS last
  FROM (SELECT ${keys}, pattern AS its_pattern, ${sums}
    FROM ${logs} WHERE pattern != 0 AND ${where} GROUP BY day, project_id, slot, environment, its_pattern)`

/** Statement that creates the rollup of log lines. Partitions are days of `received`, as of lines. Its view follows later. */
export const logRollupTable = (
  database: string,
  kind: EventsKind,
): string => `CREATE TABLE IF NOT EXISTS ${database}.${logRollupName} (
  day Date,
  project_id UInt64,
  field LowCardinality(String),
  slot DateTime('UTC') CODEC(Delta, ZSTD(1)),
  environment LowCardinality(String),
  level LowCardinality(String),
  value LowCardinality(String),
  pattern UInt64 CODEC(ZSTD(1)),
  n SimpleAggregateFunction(sum, UInt64) CODEC(ZSTD(1)),
  weight SimpleAggregateFunction(sum, Float64) CODEC(ZSTD(1)),
  first SimpleAggregateFunction(min, DateTime64(6, 'UTC')) CODEC(ZSTD(1)),
  last SimpleAggregateFunction(max, DateTime64(6, 'UTC')) CODEC(ZSTD(1))
) ENGINE = ${kind.engines.sums} PARTITION BY day
ORDER BY (${logRollupOrder})
SETTINGS index_granularity = 1024, ${dedupSettings(kind)}, ${settingsOf(logRollupName)}`

/** Statement that creates the view of the rollup. Safe to repeat. Without the outer SELECT, a view runs only the first of a union. */
export const logRollupView = (database: string): string =>
  `CREATE MATERIALIZED VIEW IF NOT EXISTS ${database}.${logRollupFeed} TO ${database}.${logRollupName} AS
SELECT ${logRollupColumns} FROM (${logRollupSelect(`${database}.logs`)})`
