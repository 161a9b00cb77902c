import { type BinaryReader, WireType } from '@bufbuild/protobuf/wire'
import { otlpItemsMax } from '../../../wire/otlp.ts'
import type { OtlpBody } from './message.ts'
import {
  addPoint,
  bucketsMax,
  emptyMetric,
  emptyPoint,
  type OtlpBuckets,
  type OtlpExemplar,
  type OtlpKind,
  type OtlpMetric,
  type OtlpPoint,
  type PointBudget,
} from './metric-message.ts'
import { bodyReader, bytes, type Fields, idOf, itemReader, number, pairs, readMessage, text, time } from './protobuf.ts'

// The messages of opentelemetry/proto/metrics/v1/metrics.proto.

type Field<Into> = Fields<Into>[number]

const double = <Into>(set: (value: number, into: Into) => void): Field<Into> => ({
  wire: WireType.Bit64,
  read: (reader, into) => set(reader.double(), into),
})
const fixed64 = <Into>(set: (value: number, into: Into) => void): Field<Into> => ({
  wire: WireType.Bit64,
  read: (reader, into) => set(Number(reader.fixed64()), into),
})
const sfixed64 = <Into>(set: (value: number, into: Into) => void): Field<Into> => ({
  wire: WireType.Bit64,
  read: (reader, into) => set(Number(reader.sfixed64()), into),
})
const sint32 = <Into>(set: (value: number, into: Into) => void): Field<Into> => ({
  wire: WireType.Varint,
  read: (reader, into) => set(reader.sint32(), into),
})
/** A packed list of numbers. */
const packed = <Into>(readOne: (reader: BinaryReader) => number, listOf: (into: Into) => number[]): Field<Into> => ({
  wire: WireType.LengthDelimited,
  read: (reader, into) => {
    const end = reader.uint32() + reader.pos
    if (end > reader.len) throw new RangeError('a list is longer than its message')
    const list = listOf(into)
    while (reader.pos < end) {
      const value = readOne(reader)
      if (list.length < bucketsMax) list.push(value)
    }
  },
})

const exemplar: Fields<OtlpExemplar> = {
  3: double((value, into: OtlpExemplar) => {
    into.value = value
  }),
  4: bytes((value, into: OtlpExemplar) => {
    into.spanId = idOf(value, 8)
  }),
  5: bytes((value, into: OtlpExemplar) => {
    into.traceId = idOf(value, 16)
  }),
  6: sfixed64((value, into: OtlpExemplar) => {
    into.value = value
  }),
}
const exemplars: Field<OtlpPoint> = bytes((value, into: OtlpPoint) => {
  if (into.exemplars.length < bucketsMax)
    into.exemplars.push(readMessage(value, exemplar, { value: Number.NaN, traceId: undefined, spanId: undefined }))
})

const times: Fields<OtlpPoint> = {
  2: time((value, into: OtlpPoint) => {
    into.startUs = value
  }),
  3: time((value, into: OtlpPoint) => {
    into.timeUs = value
  }),
}
const counted: Fields<OtlpPoint> = {
  4: fixed64((value, into: OtlpPoint) => {
    into.count = value
  }),
  5: double((value, into: OtlpPoint) => {
    into.sum = value
  }),
}
const flags = number((value, into: OtlpPoint) => {
  into.flags = value
})
const min = double((value, into: OtlpPoint) => {
  into.min = value
})
const max = double((value, into: OtlpPoint) => {
  into.max = value
})

const numberPoint: Fields<OtlpPoint> = {
  ...times,
  4: double((value, into: OtlpPoint) => {
    into.value = value
  }),
  5: exemplars,
  6: sfixed64((value, into: OtlpPoint) => {
    into.value = value
  }),
  7: pairs,
  8: flags,
}

const histogramPoint: Fields<OtlpPoint> = {
  ...times,
  ...counted,
  6: packed(
    (reader) => Number(reader.fixed64()),
    (into: OtlpPoint) => into.counts,
  ),
  7: packed(
    (reader) => reader.double(),
    (into: OtlpPoint) => into.bounds,
  ),
  8: exemplars,
  9: pairs,
  10: flags,
  11: min,
  12: max,
}

const buckets: Fields<OtlpBuckets> = {
  1: sint32((value, into: OtlpBuckets) => {
    into.offset = value
  }),
  2: packed(
    (reader) => Number(reader.uint64()),
    (into: OtlpBuckets) => into.counts,
  ),
}

const exponentialPoint: Fields<OtlpPoint> = {
  ...times,
  ...counted,
  1: pairs,
  6: sint32((value, into: OtlpPoint) => {
    into.scale = value
  }),
  7: fixed64((value, into: OtlpPoint) => {
    into.zeroCount = value
  }),
  8: bytes((value, into: OtlpPoint) => {
    readMessage(value, buckets, into.positive)
  }),
  9: bytes((value, into: OtlpPoint) => {
    readMessage(value, buckets, into.negative)
  }),
  10: flags,
  11: exemplars,
  12: min,
  13: max,
}

const quantile: Fields<{ quantile: number; value: number }> = {
  1: double((value, into: { quantile: number; value: number }) => {
    into.quantile = value
  }),
  2: double((value, into: { quantile: number; value: number }) => {
    into.value = value
  }),
}

const summaryPoint: Fields<OtlpPoint> = {
  ...times,
  ...counted,
  6: bytes((value, into: OtlpPoint) => {
    if (into.quantiles.length < bucketsMax) into.quantiles.push(readMessage(value, quantile, { quantile: 0, value: 0 }))
  }),
  7: pairs,
  8: flags,
}

/** The message that holds the points of one kind. */
function data(kind: OtlpKind, fields: Fields<OtlpPoint>, budget: PointBudget): Field<OtlpMetric> {
  const read = itemReader(fields, emptyPoint)
  const points: Fields<OtlpMetric> = {
    1: bytes((value, into: OtlpMetric) => addPoint(into, budget, () => read(value))),
    2: number((value, into: OtlpMetric) => {
      into.temporality = value
    }),
    3: number((value, into: OtlpMetric) => {
      into.isMonotonic = value !== 0
    }),
  }
  return bytes((value, into: OtlpMetric) => {
    into.kind = kind
    readMessage(value, points, into)
  })
}

/** Reads the metrics of a protobuf body. */
export function readMetricsProtobuf(body: Uint8Array): OtlpBody<OtlpMetric> {
  const budget: PointBudget = { left: otlpItemsMax }
  const metric: Fields<OtlpMetric> = {
    1: text((value, into: OtlpMetric) => {
      into.name = value
    }),
    3: text((value, into: OtlpMetric) => {
      into.unit = value
    }),
    5: data('gauge', numberPoint, budget),
    7: data('sum', numberPoint, budget),
    9: data('histogram', histogramPoint, budget),
    10: data('exponentialHistogram', exponentialPoint, budget),
    11: data('summary', summaryPoint, budget),
  }
  return bodyReader(itemReader(metric, emptyMetric))(body)
}
