import { z } from 'zod'
import { metricAggregates, metricTypes } from '../../domain/metrics.ts'

const ms = z.int().describe('Milliseconds since 1970.')
const course = z
  .array(z.tuple([z.int(), z.number()]))
  .describe('Start of each bucket that has points (ms), and its value.')
const folded = z.int().describe('Points that lost attributes, because their project has more series than its limit.')

const described = {
  name: z.string(),
  type: z.enum(metricTypes),
  unit: z.string().describe('As the sender names it, such as millisecond; empty for a plain number.'),
  points: z.int().describe('Points in the range. A histogram of OpenTelemetry is one point.'),
  folded,
}

/** GET organizations/{org}/metrics/: the metrics of a view. */
export const restMetrics = z
  .strictObject({
    metrics: z.array(
      z.strictObject({
        ...described,
        last: z.number().describe('The value of the newest point.'),
        lastMs: ms,
        attributes: z.array(z.string()).describe('Names of attributes, at most 20.'),
        projectIds: z.array(z.int()),
        trend: course.describe('The course: sums of counters, else means.'),
      }),
    ),
    more: z.boolean().describe('There are further metrics behind this page.'),
    bucketMs: z.int(),
    folded: z
      .array(
        z.strictObject({
          project: z.string(),
          max: z.int().describe('Series that the project stores in an hour: its setting metricSeriesMax.'),
          points: folded,
          sinceMs: ms.describe('Time of the first of them in the range.'),
          names: z.array(z.string()).describe('The metrics with the most of them.'),
        }),
      )
      .describe('Projects whose points lost attributes in the range.'),
  })
  .meta({ id: 'Metrics' })

/** GET organizations/{org}/metrics/details/: one metric. */
export const restMetricDetails = z
  .strictObject({
    ...described,
    aggregate: z.enum(metricAggregates),
    bucketMs: z.int(),
    groups: z.array(
      z.strictObject({
        group: z.string().describe('The value of the attribute; empty without it.'),
        value: z.number().describe('The aggregate over the whole range.'),
        points: z.int(),
        series: course.describe('The aggregate by bucket, of the eight groups with the most points.'),
      }),
    ),
    moreGroups: z.boolean(),
    attributes: z.array(
      z.strictObject({
        key: z.string(),
        unique: z.int().describe('Distinct values in the newest points.'),
        values: z.array(z.strictObject({ value: z.string(), points: z.int() })),
      }),
    ),
    samples: z
      .array(
        z.strictObject({
          projectId: z.int(),
          timeMs: ms,
          value: z.number(),
          count: z.int().describe('Measurements that it stands for: more than 1 for a bucket of a histogram.'),
          traceId: z.string(),
          spanId: z.string(),
          service: z.string(),
          environment: z.string(),
          release: z.string(),
          attributes: z.record(z.string(), z.string()),
          folded: z.int().describe('0: nothing was folded, 1: attributes about people, 2: all attributes.'),
        }),
      )
      .describe('The newest points, and the traces that they belong to.'),
  })
  .meta({ id: 'MetricDetails' })
