import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire'
import { describe, expect, test } from 'vitest'
import { attributesOf, startNano, traceHex } from '../../../wire/otlp.cases.ts'
import { type OtlpFormat, otlpItemsMax } from '../../../wire/otlp.ts'
import { createOtlpWalk } from '../../../wire/otlp-walk.ts'
import { plainSettings } from '../../pipeline/fixture.cases.ts'
import { readMetricsJson } from './metric-json.ts'
import { readMetricsProtobuf } from './metric-protobuf.ts'
import { at, gauge, histogram, metricsBody, point, refined, type Sent, sum, valuesOf } from './metrics.cases.ts'

test('a gauge and a delta are stored as sent', () => {
  const { rows, ends } = refined(
    metricsBody([
      gauge(point({ asDouble: 7.5, attributes: attributesOf({ shard: 'a' }) })),
      sum(1, true, point({ asInt: '12' })),
    ]),
  )
  expect(ends).toEqual(['stored ok 2'])
  expect(rows).toMatchObject([
    {
      name: 'queue.depth',
      type: 'gauge',
      value: 7.5,
      service: 'billing',
      release: '1.2.0',
      attributes: { shard: 'a' },
    },
    { name: 'orders', type: 'counter', unit: '', value: 12, stream: '', repaired: 0 },
  ])
})

test('a total becomes what was added, by stream', () => {
  const totals = (minute: number, eu: number, us: number) =>
    metricsBody([
      sum(
        2,
        true,
        ...[['eu', eu] as const, ['us', us] as const].map(([region, value]) =>
          point({
            startTimeUnixNano: at(-9000),
            timeUnixNano: at(minute),
            asInt: value,
            attributes: attributesOf({ region }),
          }),
        ),
      ),
    ])
  const added = [
    [-3, 100, 10],
    [-2, 130, 10],
    [-1, 131, 3],
  ].map(([minute = 0, eu = 0, us = 0]) => refined(totals(minute, eu, us), 801).rows.map(({ value }) => value))
  // The second stream began again at zero before its last total.
  expect(added).toEqual([
    [100, 10],
    [30, 0],
    [1, 3],
  ])
  expect(refined(totals(0, 140, 5), 801).rows.map(({ total }) => total)).toEqual([140, 5])
})

test.each([
  ['in the millisecond of its point', 600_000n, 5],
  ['with its point: unknown since when', 0n, 0],
  ['after its point', -600_000n, 0],
])('the first total of a stream that began %s', (name, ageNano, added) => {
  const start = String(BigInt(at(-1)) + 900_000n - ageNano)
  const timed = { startTimeUnixNano: start, timeUnixNano: String(BigInt(at(-1)) + 900_000n), asInt: 5 }
  const sent = metricsBody([sum(2, true, point({ ...timed, attributes: attributesOf({ name }) }))])
  expect(refined(sent, 804).rows.map(({ value }) => value)).toEqual([added])
})

test('two points of a stream in one record and millisecond each add their part', () => {
  const timed = (us: bigint) => ({ startTimeUnixNano: at(-1), timeUnixNano: String(BigInt(at(-1)) + us * 1000n) })
  const sent = metricsBody([sum(2, true, point({ ...timed(300n), asInt: 5 }), point({ ...timed(900n), asInt: 7 }))])
  expect(refined(sent, 806).rows.map(({ value }) => value)).toEqual([5, 2])
})

test('a total that can shrink is a state', () => {
  expect(refined(metricsBody([sum(2, false, point({ asInt: -4 }))])).rows).toMatchObject([{ type: 'gauge', value: -4 }])
})

test('a histogram is a row for each bucket, with its limits, its share of the sum and its trace', () => {
  const { rows, ends } = refined(
    metricsBody([
      histogram(1, {
        count: '100',
        sum: 3000,
        min: 2,
        max: 4000,
        bucketCounts: ['90', '0', '9', '1'],
        exemplars: [{ asDouble: 250, traceId: traceHex, spanId: 'eeee000000000001' }],
      }),
    ]),
  )
  expect(ends).toEqual(['stored ok 1'])
  expect(rows.map(({ min, max, count, entries, traceId }) => [min, max, count, entries, traceId !== ''])).toEqual([
    [2, 10, 90, 1, false],
    [100, 1000, 9, 0, true],
    [1000, 4000, 1, 0, false],
  ])
  expect(rows.reduce((total, row) => total + row.sum, 0)).toBeCloseTo(3000)
})

test('a cumulative histogram becomes the measurements between two points', () => {
  const counts = (minute: number, bucketCounts: number[], total: number) =>
    refined(
      metricsBody([
        histogram(2, {
          startTimeUnixNano: at(-9000),
          timeUnixNano: at(minute),
          count: bucketCounts.reduce((all, own) => all + own, 0),
          sum: total,
          bucketCounts,
        }),
      ]),
      802,
    )
  counts(-3, [5, 0, 0, 0], 25)
  const next = counts(-2, [7, 0, 4, 0], 35 + 1800)
  expect(valuesOf(next.rows)).toEqual([
    [5, 2],
    [550, 4],
  ])
  expect(next.rows.reduce((all, row) => all + row.sum, 0)).toBeCloseTo(1810)
  // Nothing new: one row, so that the point is counted.
  expect(counts(-1, [7, 0, 4, 0], 1835).rows).toMatchObject([{ count: 0, entries: 1, total: 11 }])
})

test('buckets of an exponential histogram contain what was measured', () => {
  const measured = [0.5, 3, 3.2, 47, 1024.1, -8.5, 0]
  const scale = 3
  const indexOf = (value: number) => Math.ceil(Math.log2(value) * 2 ** scale) - 1
  const side = (values: number[]) => {
    const indexes = values.map(indexOf)
    const offset = Math.min(...indexes)
    return {
      offset,
      bucketCounts: Array.from({ length: Math.max(...indexes) - offset + 1 }, (_, n) =>
        String(indexes.filter((index) => index === offset + n).length),
      ),
    }
  }
  const { rows } = refined(
    metricsBody([
      {
        name: 'size',
        exponentialHistogram: {
          aggregationTemporality: 1,
          dataPoints: [
            point({
              count: 7,
              scale,
              zeroCount: '1',
              positive: side(measured.filter((value) => value > 0)),
              negative: side([8.5]),
            }),
          ],
        },
      },
    ]),
  )
  expect(rows.reduce((total, { count }) => total + count, 0)).toBe(7)
  for (const value of measured)
    expect(rows.some(({ min, max }) => min <= value && value <= max && max - min <= Math.abs(value) * 0.1)).toBe(true)
})

test('a summary is its count, its sum and its quantiles', () => {
  const summary = (minute: number, count: number) => ({
    name: 'rpc',
    summary: {
      dataPoints: [
        point({
          startTimeUnixNano: at(-30),
          timeUnixNano: at(minute),
          count: String(count),
          sum: count * 2,
          quantileValues: [{ quantile: 0.5, value: 1.5 }],
        }),
      ],
    },
  })
  refined(metricsBody([summary(-2, 10)]), 803)
  expect(refined(metricsBody([summary(-1, 14)]), 803).rows).toMatchObject([
    { name: 'rpc.count', type: 'counter', value: 4, entries: 1 },
    { name: 'rpc.sum', type: 'counter', value: 8, entries: 0 },
    { name: 'rpc', type: 'gauge', value: 1.5, attributes: { quantile: 0.5 }, entries: 0 },
  ])
})

describe('what cannot be stored is counted', () => {
  test.each<[string, unknown, string[]]>([
    ['no JSON', '{', ['invalid bad_json 1']],
    ['nothing', {}, ['invalid bad_item 1']],
    ['metrics without points', metricsBody([gauge()]), ['invalid bad_item 1']],
    [
      'a point without a value',
      metricsBody([gauge(point(), point({ asInt: 1 }))]),
      ['invalid bad_item 1', 'stored ok 1'],
    ],
    ['the end of a stream', metricsBody([gauge(point({ asInt: 1, flags: 1 }))]), ['invalid bad_item 1']],
    ['NaN', metricsBody([gauge(point({ asDouble: 'NaN' }))]), ['invalid bad_item 1']],
    ['no point', metricsBody([gauge(7)]), ['invalid bad_item 1']],
    ['no name', metricsBody([{ ...gauge(point({ asInt: 1 })), name: ' ' }]), ['invalid bad_item 1']],
    [
      'large attributes',
      metricsBody([gauge(point({ asInt: 1, attributes: attributesOf({ text: 'x'.repeat(2048) }) }))]),
      ['invalid too_large 1'],
    ],
  ])('%s', (_name, body, ends) => expect(refined(body).ends).toEqual(ends))

  test('the same points that ingest rejects', () => {
    const body = metricsBody([gauge(...Array.from({ length: otlpItemsMax + 30 }, (_, n) => point({ asInt: n })))])
    const walk = createOtlpWalk('json', 'metrics')
    walk.push(Buffer.from(JSON.stringify(body)))
    walk.end()
    expect([walk.error, walk.items, walk.rejected]).toEqual([undefined, otlpItemsMax + 30, 30])
    expect(refined(body).ends).toContain('invalid too_many_items 30')
  })
})

test('histograms of more rows than a body may have are counted, and the first ones are stored', () => {
  const wide = {
    bucketCounts: Array.from({ length: 1000 }, () => 1),
    explicitBounds: Array.from({ length: 999 }, (_, n) => n),
  }
  const dataPoints = Array.from({ length: 120 }, (_, n) => point({ ...wide, attributes: attributesOf({ n }) }))
  const metric = { name: 'latency', histogram: { aggregationTemporality: 1, dataPoints } }
  const { rows, ends } = refined(metricsBody([metric]))
  expect(ends[0]).toBe('invalid too_many_items 21')
  expect(ends.slice(1)).toEqual(Array.from({ length: 99 }, () => 'stored ok 1'))
  expect(rows).toHaveLength(99_000)
})

test('attributes are scrubbed', () => {
  const { rows } = refined(metricsBody([gauge(point({ asInt: 1, attributes: attributesOf({ password: 'geheim' }) }))]))
  expect(rows[0]?.attributes).toEqual({ password: '[Filtered]' })
  expect(plainSettings.scrubDefaults).toBe(true)
})

/** Writes one metric of each kind as protobuf. */
function protobuf(): Uint8Array {
  const message = (field: number, write: (writer: BinaryWriter) => void) => (writer: BinaryWriter) => {
    writer.tag(field, WireType.LengthDelimited).fork()
    write(writer)
    writer.join()
  }
  const text = (field: number, value: string) => (writer: BinaryWriter) =>
    void writer.tag(field, WireType.LengthDelimited).string(value)
  const all =
    (...parts: ((writer: BinaryWriter) => void)[]) =>
    (writer: BinaryWriter) => {
      for (const part of parts) part(writer)
    }
  const nano = (writer: BinaryWriter) => void writer.tag(3, WireType.Bit64).fixed64(startNano)
  const fixed = (field: number, value: number) => (writer: BinaryWriter) =>
    void writer.tag(field, WireType.Bit64).fixed64(value)
  const double = (field: number, value: number) => (writer: BinaryWriter) =>
    void writer.tag(field, WireType.Bit64).double(value)
  const varint = (field: number, value: number) => (writer: BinaryWriter) =>
    void writer.tag(field, WireType.Varint).uint32(value)
  const sint = (field: number, value: number) => (writer: BinaryWriter) =>
    void writer.tag(field, WireType.Varint).sint32(value)
  const list = (field: number, write: (writer: BinaryWriter) => void) => message(field, write)
  const attribute = (field: number) => message(field, all(text(1, 'region'), message(2, text(1, 'eu'))))
  const metric = (name: string, field: number, ...parts: ((writer: BinaryWriter) => void)[]) =>
    message(2, all(text(1, name), text(3, 'ms'), message(field, all(...parts))))
  const writer = new BinaryWriter()
  message(
    1,
    message(
      2,
      all(
        metric('g', 5, message(1, all(nano, double(4, 7.5), attribute(7)))),
        metric(
          's',
          7,
          message(
            1,
            all(nano, (to) => void to.tag(6, WireType.Bit64).sfixed64(-3n), attribute(7)),
          ),
          varint(2, 1),
          varint(3, 1),
        ),
        metric(
          'h',
          9,
          message(
            1,
            all(
              nano,
              fixed(4, 3),
              double(5, 30),
              list(6, (to) => void to.fixed64(1).fixed64(2)),
              list(7, (to) => void to.double(10)),
              attribute(9),
              double(11, 1),
              double(12, 20),
            ),
          ),
          varint(2, 1),
        ),
        metric(
          'e',
          10,
          message(
            1,
            all(
              nano,
              fixed(4, 4),
              double(5, 12),
              sint(6, -1),
              fixed(7, 1),
              message(
                8,
                all(
                  sint(1, -2),
                  list(2, (to) => void to.uint64(1).uint64(2)),
                ),
              ),
              attribute(1),
            ),
          ),
          varint(2, 1),
        ),
        metric(
          'y',
          11,
          message(
            1,
            all(nano, fixed(4, 2), double(5, 5), message(6, all(double(1, 0.5), double(2, 2.5))), attribute(7)),
          ),
        ),
      ),
    ),
  )(writer)
  return writer.finish()
}

test('protobuf says the same as JSON', () => {
  const body = protobuf()
  const timed = { timeUnixNano: String(startNano), attributes: attributesOf({ region: 'eu' }) }
  const metric = (name: string, kind: string, dataPoint: Sent, more: Sent = {}) => ({
    name,
    unit: 'ms',
    [kind]: { dataPoints: [{ ...timed, ...dataPoint }], ...more },
  })
  const delta = { aggregationTemporality: 1 }
  const json = {
    resourceMetrics: [
      {
        scopeMetrics: [
          {
            metrics: [
              metric('g', 'gauge', { asDouble: 7.5 }),
              metric('s', 'sum', { asInt: '-3' }, { ...delta, isMonotonic: true }),
              metric(
                'h',
                'histogram',
                { count: 3, sum: 30, bucketCounts: [1, 2], explicitBounds: [10], min: 1, max: 20 },
                delta,
              ),
              metric(
                'e',
                'exponentialHistogram',
                { count: 4, sum: 12, scale: -1, zeroCount: 1, positive: { offset: -2, bucketCounts: ['1', '2'] } },
                delta,
              ),
              metric('y', 'summary', { count: 2, sum: 5, quantileValues: [{ quantile: 0.5, value: 2.5 }] }),
            ],
          },
        ],
      },
    ],
  }
  expect(readMetricsProtobuf(body).items).toEqual(readMetricsJson(json)?.items)
  const walked = (['protobuf', 'json'] as const).map((format: OtlpFormat) => {
    const walk = createOtlpWalk(format, 'metrics')
    walk.push(format === 'json' ? Buffer.from(JSON.stringify(json)) : Buffer.from(body))
    walk.end()
    return [walk.error, walk.items, walk.rejected]
  })
  expect(walked).toEqual([
    [undefined, 5, 0],
    [undefined, 5, 0],
  ])
})

test('the work for a point does not grow with its resource and its metric', () => {
  const large = Object.fromEntries(Array.from({ length: 990 }, (_, at) => [`key${at}`, 'x'.repeat(5000)]))
  const points = Array.from({ length: 5000 }, (_, nth) => point({ asInt: nth }))
  const metric = { ...sum(2, true, ...points), name: `${' '.repeat(1_000_000)}orders` }
  const { rows, ends } = refined(metricsBody([metric], { ...large, 'service.name': 'billing' }))
  expect(ends.every((end) => end.startsWith('stored ok'))).toBe(true)
  expect(rows).toHaveLength(5000)
  expect(rows[0]).toMatchObject({ name: 'orders', service: 'billing' })
})
