import { emptyLog, type OtlpLog } from './message.ts'
import { anyValueOf, bodyReader, bytes, type Fields, idOf, itemReader, number, pairs, text, time } from './protobuf.ts'

// The messages of opentelemetry/proto/logs/v1/logs.proto.

/** Levels of a body that are read. Bodies are often whole JSON documents. */
export const bodyLevelsMax = 16

const log: Fields<OtlpLog> = {
  1: time((value, into: OtlpLog) => {
    into.timeUs = value
  }),
  2: number((value, into: OtlpLog) => {
    into.severityNumber = value
  }),
  3: text((value, into: OtlpLog) => {
    into.severityText = value
  }),
  5: anyValueOf(bodyLevelsMax, (value, into: OtlpLog) => {
    into.body = value
  }),
  6: pairs,
  7: number((value, into: OtlpLog) => {
    into.droppedAttributes = value
  }),
  9: bytes((value, into: OtlpLog) => {
    into.traceId = idOf(value, 16)
  }),
  10: bytes((value, into: OtlpLog) => {
    into.spanId = idOf(value, 8)
  }),
  11: time((value, into: OtlpLog) => {
    into.observedUs = value
  }),
  12: text((value, into: OtlpLog) => {
    into.eventName = value
  }),
}

/** Reads the log records of a protobuf body. */
export const readLogsProtobuf = bodyReader(itemReader(log, emptyLog))
