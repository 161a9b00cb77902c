import { z } from 'zod'
import { restDataset, restPartial } from './explore.ts'

const cell = z.union([z.string(), z.number(), z.boolean(), z.null()])
const iso = z.string().describe('ISO 8601, UTC.')

const sampling = {
  dataset: restDataset,
  samples: z
    .int()
    .nullable()
    .describe('Stored rows that match. Counts are larger where SDKs send only a part of their traces. Null: unknown.'),
  dataScanned: z
    .enum(['full', 'partial'])
    .describe('partial: the range has too many rows for one answer. Only those since `scannedFrom` are in it.'),
  partial: restPartial,
  scannedFrom: iso.describe('Start of the part of the range that was read.'),
  scannedTo: iso.describe('End of the range.'),
  rowsRead: z.int().describe('Rows that the engine read.'),
  bytesRead: z.int().describe('Bytes that the engine read, before compression.'),
}

/** GET organizations/{org}/events/: rows of a dataset, or aggregates of them. */
export const restDatasetTable = z
  .strictObject({
    data: z.array(z.record(z.string(), cell)).describe('One object for each row: the requested fields.'),
    meta: z.strictObject({
      fields: z.record(z.string(), z.string()).describe('Type of each field: string, duration, integer and so on.'),
      units: z.record(z.string(), z.string().nullable()).describe('Unit of each field; durations are in milliseconds.'),
      ...sampling,
    }),
  })
  .meta({ id: 'DatasetTable' })
export type RestDatasetTable = z.infer<typeof restDatasetTable>

const pair = z.strictObject({ count: z.number().nullable() })
const series = z.strictObject({
  data: z.array(z.tuple([z.int(), z.array(pair)])).describe('Start of the bucket in seconds, and its value.'),
  order: z.int(),
  start: z.int(),
  end: z.int(),
  isMetricsData: z.literal(false),
  meta: restDatasetTable.shape.meta,
})

/** GET organizations/{org}/events-stats/: one series, or series by group or by function. */
export const restDatasetStats = z
  .union([series, z.record(z.string(), z.union([series, z.record(z.string(), z.union([series, z.int()])), z.int()]))])
  .meta({ id: 'DatasetStats' })
export type RestDatasetStats = z.infer<typeof restDatasetStats>
export type RestDatasetStatsSeries = z.infer<typeof series>

/** GET organizations/{org}/events-timeseries/: the same with milliseconds. */
export const restDatasetTimeseries = z
  .strictObject({
    timeSeries: z.array(
      z.strictObject({
        yAxis: z.string(),
        groupBy: z.array(z.strictObject({ key: z.string(), value: cell })).nullable(),
        values: z.array(
          z.strictObject({
            timestamp: z.int().describe('Start of the bucket, milliseconds since 1970.'),
            value: z.number().nullable().describe('Null: no row has it.'),
            incomplete: z.boolean().describe('The bucket is not over yet.'),
            sampleCount: z.int().describe('Stored rows in the bucket.'),
          }),
        ),
        meta: z.strictObject({
          valueType: z.string(),
          valueUnit: z.string().nullable(),
          interval: z.int().describe('Length of a bucket, milliseconds.'),
          order: z.int().describe('Place among the groups, the largest first.'),
        }),
      }),
    ),
    meta: z.strictObject({ ...sampling, start: z.int(), end: z.int() }),
  })
  .meta({ id: 'DatasetTimeseries' })
export type RestDatasetTimeseries = z.infer<typeof restDatasetTimeseries>

/** GET organizations/{org}/stats_v2/: what became of sent items, from the ledger. */
export const restOutcomeStats = z
  .strictObject({
    start: iso,
    end: iso,
    intervals: z.array(iso).describe('Starts of the buckets.'),
    groups: z.array(
      z.strictObject({
        by: z.record(z.string(), z.union([z.string(), z.int(), z.null()])).describe('Values of groupBy.'),
        totals: z.record(z.string(), z.number()).describe('Sum of each field over the range.'),
        series: z.record(z.string(), z.array(z.number())).describe('Sum of each field in each bucket.'),
      }),
    ),
  })
  .meta({ id: 'OutcomeStats' })
export type RestOutcomeStats = z.infer<typeof restOutcomeStats>

/** GET organizations/{org}/trace-logs/: log lines of traces. */
export const restTraceLogs = z
  .strictObject({
    data: z.array(
      z.strictObject({
        id: z.string(),
        'project.id': z.int(),
        project: z.string(),
        trace: z.string(),
        span_id: z.string().nullable(),
        severity: z.string(),
        severity_number: z.int().nullable(),
        message: z.string(),
        timestamp: iso,
        timestamp_precise: z.number().describe('Nanoseconds since 1970.'),
      }),
    ),
    meta: restDatasetTable.shape.meta,
  })
  .meta({ id: 'TraceLogs' })
export type RestTraceLogs = z.infer<typeof restTraceLogs>

/** GET organizations/{org}/trace-items/attributes/: names that a search can use. */
export const restDatasetAttributes = z.array(
  z
    .strictObject({
      key: z.string().describe('As a search and a field write it.'),
      name: z.string().describe('As the SDK sent it.'),
      attributeSource: z.strictObject({ source_type: z.enum(['sentry', 'user']) }),
    })
    .meta({ id: 'DatasetAttribute' }),
)
export type RestDatasetAttributes = z.infer<typeof restDatasetAttributes>

/** GET organizations/{org}/trace-items/attributes/{key}/values/. */
export const restDatasetAttributeValues = z.array(
  z.strictObject({
    key: z.string(),
    name: z.string(),
    value: z.string(),
    count: z.int().nullable().describe('Stored rows among the newest.'),
  }),
)
