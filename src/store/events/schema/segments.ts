import { dedupSettings, type EventsKind } from '../kind.ts'
import { settingsOf } from './settings.ts'

/** Table of the spans that the performance pages read by themselves, and the view that fills it from inserted spans. */
export const segmentsName = 'segments'
export const segmentsFeed = `${segmentsName}_feed`

/** Only these spans have web vitals. SDK 11 sends a span for each of LCP, CLS and INP; older ones measure the segment. */
export const hasVitals = "(op = 'pageload' OR startsWith(op, 'ui.webvital.') OR startsWith(op, 'ui.interaction.'))"

/** A request of the Next.js router for the data of a page. */
const isRouterRequest = `(op = 'http.client' AND is_segment = 0
  AND (position(tags['url.query'], '_rsc=') > 0 OR position(tags['url.full'], '_rsc=') > 0))`

/** Spans that the table has: segments, those that carry a web vital, and requests of the router. */
export const isInSegments = `(is_segment OR (notEmpty(measurements) AND ${hasVitals}) OR ${isRouterRequest})`

/**
 * Attributes that differ for almost every segment or repeat a column. No page reads them of segments, and they would be
 * most of the table's bytes: `spans` has them.
 */
const without = [
  'url.full',
  'url.path',
  'url.query',
  'http.url',
  'http.target',
  'user_agent.original',
  'browser.performance.time_origin',
  'sentry.previous_trace',
  'browser.navigation.id',
]

/** The browser and the class of device, by attributes or else by the user agent. Order matters: Edge also says Chrome. */
const agent = "tags['user_agent.original']"
const browserSql = `multiIf(tags['browser.name'] != '', tags['browser.name'], ${agent} = '', '',
  position(${agent}, 'Edg/') > 0, 'Edge', position(${agent}, 'OPR/') > 0, 'Opera', position(${agent}, 'SamsungBrowser') > 0,
  'Samsung Internet', position(${agent}, 'Firefox/') > 0, 'Firefox', position(${agent}, 'Chrome/') > 0, 'Chrome',
  position(${agent}, 'Safari/') > 0, 'Safari', 'other')`
const deviceSql = `multiIf(${agent} = '', '', position(${agent}, 'iPad') > 0 OR position(${agent}, 'Tablet') > 0, 'tablet',
  position(${agent}, 'Mobi') > 0 OR position(${agent}, 'iPhone') > 0, 'mobile',
  position(${agent}, 'Android') > 0, 'tablet', 'desktop')`

/** Columns with their type and what they are made of. */
const columns: readonly (readonly [name: string, type: string, from?: string])[] = [
  ['day', 'Date', 'toDate(received)'],
  ['project_id', 'UInt64'],
  ['is_segment', 'UInt8'],
  ['route', 'LowCardinality(String)'],
  ['op', 'LowCardinality(String)'],
  ['start', "DateTime64(6, 'UTC') CODEC(Delta, ZSTD(1))"],
  ['duration', 'UInt64 CODEC(ZSTD(1))'],
  ['weight', 'Float32 CODEC(ZSTD(1))'],
  ['failed', 'UInt8 CODEC(ZSTD(1))'],
  ['http_status', 'UInt16 CODEC(ZSTD(1))'],
  ['cut', 'LowCardinality(String)'],
  ['release', 'LowCardinality(String)'],
  ['environment', 'LowCardinality(String)'],
  ['transaction', 'LowCardinality(String)'],
  ['label', 'String CODEC(ZSTD(1))', "if(name = '', description, name)"],
  ['path', 'String CODEC(ZSTD(1))', "if(is_segment, tags['url.path'], path(tags['url.full']))"],
  ['browser', 'LowCardinality(String)', browserSql],
  ['device', 'LowCardinality(String)', deviceSql],
  ['measurements', 'Map(LowCardinality(String), Float64) CODEC(ZSTD(1))'],
  [
    'tags',
    'Map(LowCardinality(String), String) CODEC(ZSTD(3))',
    `mapFilter((key, text) -> key NOT IN (${without.map((key) => `'${key}'`).join(', ')}), tags)`,
  ],
  ['trace_id', 'FixedString(16)'],
  ['span_id', 'UInt64'],
  ['jpos', 'UInt64 CODEC(Delta, ZSTD(1))'],
  ['place', 'UInt32 CODEC(ZSTD(1))'],
]

export const segmentColumns = columns.map(([name]) => name).join(', ')

/** Selects spans as rows of the table. The aliases are outside, so that none of them hides a column. */
export const segmentsSelect = (spans: string, where = '1'): string =>
  `SELECT ${columns.map(([name], at) => `c${at} AS ${name}`).join(', ')}
  FROM (SELECT ${columns.map(([name, , from = name], at) => `${from} AS c${at}`).join(', ')}
    FROM ${spans} WHERE ${isInSegments} AND ${where})`

/**
 * Statement that creates the table. Partitions are days of `received`, as in spans. The order is by route: the segments of
 * one of 40 routes are in every granule of `spans`, so each of a dozen queries of a route's page read all spans (decision
 * 34). Granules are small, because a route often has a few rows in a day and attributes are wide.
 */
export const segmentsTable = (
  database: string,
  kind: EventsKind,
): string => `CREATE TABLE IF NOT EXISTS ${database}.${segmentsName} (
  ${columns.map(([name, type]) => `${name} ${type}`).join(',\n  ')},
  INDEX jpos jpos TYPE minmax
) ENGINE = ${kind.engines.rows} PARTITION BY day ORDER BY (project_id, route, op, start)
SETTINGS index_granularity = 1024, min_bytes_for_wide_part = 134217728, ${dedupSettings(kind)},
  ${settingsOf(segmentsName)}`

/** Statement that creates the view. Safe to repeat. */
export const segmentsView = (database: string): string =>
  `CREATE MATERIALIZED VIEW IF NOT EXISTS ${database}.${segmentsFeed} TO ${database}.${segmentsName} AS
${segmentsSelect(`${database}.spans`)}`
