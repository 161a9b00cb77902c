import type { EventsKind } from '../kind.ts'
import { settingsOf } from './settings.ts'

/** Facts of the rollup of spans that downsampling removed from its rows, by day and project. */
export const removedSpansName = 'spans_downsampled'
/** The traces that a running or unverified step of downsampling keeps. */
export const keptTracesName = 'kept_traces'

/**
 * Creates the tables beside downsampled spans. The rollup keeps the counts of removed spans: `n` is what it counts
 * more than the rows, so that `verify` can still compare them. Partitions are days of arrival, as in spans, so that they
 * are dropped together. `kept_traces` is the stored condition of a step: events of a trace can disappear between two
 * tries, and the second must keep the same traces.
 */
export const downsampledSpansTables = (database: string, kind: EventsKind): string[] => [
  `CREATE TABLE IF NOT EXISTS ${database}.${removedSpansName} (
  day Date,
  project_id UInt64,
  step UInt64,
  n UInt64
) ENGINE = ${kind.engines.rows} PARTITION BY day ORDER BY (project_id, step)
SETTINGS ${settingsOf(removedSpansName)}`,
  `CREATE TABLE IF NOT EXISTS ${database}.${keptTracesName} (
  step UInt64,
  trace_id FixedString(16),
  guarded UInt8
) ENGINE = ${kind.engines.rows} PARTITION BY step ORDER BY trace_id
SETTINGS ${settingsOf(keptTracesName)}`,
]
