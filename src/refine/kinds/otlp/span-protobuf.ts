import { emptySpan, entriesMax, type OtlpEvent, type OtlpLink, type OtlpSpan } from './message.ts'
import {
  bodyReader,
  bytes,
  type Fields,
  flags,
  idOf,
  itemReader,
  number,
  pairs,
  readMessage,
  text,
  time,
} from './protobuf.ts'

// The messages of opentelemetry/proto/trace/v1/trace.proto.

const event: Fields<OtlpEvent> = {
  1: time((value, into: OtlpEvent) => {
    into.atUs = value
  }),
  2: text((value, into: OtlpEvent) => {
    into.name = value
  }),
  3: pairs,
}

const link: Fields<OtlpLink> = {
  1: bytes((value, into: OtlpLink) => {
    into.traceId = idOf(value, 16)
  }),
  2: bytes((value, into: OtlpLink) => {
    into.spanId = idOf(value, 8)
  }),
  3: text((value, into: OtlpLink) => {
    into.traceState = value
  }),
  4: pairs,
  6: flags((value, into: OtlpLink) => {
    into.flags = value
  }),
}

const emptyLink = (): OtlpLink => ({ traceId: undefined, spanId: undefined, traceState: '', flags: 0, attributes: {} })

const status: Fields<OtlpSpan['status']> = {
  2: text((value, into: OtlpSpan['status']) => {
    into.message = value
  }),
  3: number((value, into: OtlpSpan['status']) => {
    into.code = value
  }),
}

const span: Fields<OtlpSpan> = {
  1: bytes((value, into: OtlpSpan) => {
    into.traceId = idOf(value, 16)
  }),
  2: bytes((value, into: OtlpSpan) => {
    into.spanId = idOf(value, 8)
  }),
  3: text((value, into: OtlpSpan) => {
    into.traceState = value
  }),
  4: bytes((value, into: OtlpSpan) => {
    into.parentId = idOf(value, 8) ?? ''
  }),
  5: text((value, into: OtlpSpan) => {
    into.name = value
  }),
  6: number((value, into: OtlpSpan) => {
    into.kind = value
  }),
  7: time((value, into: OtlpSpan) => {
    into.startUs = value
  }),
  8: time((value, into: OtlpSpan) => {
    into.endUs = value
  }),
  9: pairs,
  10: number((value, into: OtlpSpan) => {
    into.dropped.attributes = value
  }),
  11: bytes((value, into: OtlpSpan) => {
    if (into.events.length < entriesMax)
      into.events.push(readMessage(value, event, { name: '', atUs: undefined, attributes: {} }))
  }),
  12: number((value, into: OtlpSpan) => {
    into.dropped.events = value
  }),
  13: bytes((value, into: OtlpSpan) => {
    if (into.links.length < entriesMax) into.links.push(readMessage(value, link, emptyLink()))
  }),
  14: number((value, into: OtlpSpan) => {
    into.dropped.links = value
  }),
  15: bytes((value, into: OtlpSpan) => {
    readMessage(value, status, into.status)
  }),
  16: flags((value, into: OtlpSpan) => {
    into.flags = value
  }),
}

/** Reads the spans of a protobuf body. */
export const readSpansProtobuf = bodyReader(itemReader(span, emptySpan))
