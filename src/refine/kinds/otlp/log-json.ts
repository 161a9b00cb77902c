import { normalizeId, normalizeSpanId } from '../../../wire/ids.ts'
import { object, own } from '../../pipeline/value.ts'
import { anyValue, attributesOf, countOf, jsonReader, member, microseconds, textOf } from './json.ts'
import { bodyLevelsMax } from './log-protobuf.ts'
import type { OtlpLog } from './message.ts'

/** Names of the severities: TRACE, TRACE2 and so on, four for each level. */
const severityNames = [
  'UNSPECIFIED',
  ...['TRACE', 'DEBUG', 'INFO', 'WARN', 'ERROR', 'FATAL'].flatMap((name) => [name, `${name}2`, `${name}3`, `${name}4`]),
]

function logOf(sent: unknown): OtlpLog | undefined {
  const log = object(sent)
  if (!log) return undefined
  return {
    traceId: normalizeId(own(log, 'traceId')),
    spanId: normalizeSpanId(own(log, 'spanId')),
    timeUs: microseconds(own(log, 'timeUnixNano')),
    observedUs: microseconds(own(log, 'observedTimeUnixNano')),
    severityNumber: member(own(log, 'severityNumber'), 'SEVERITY_NUMBER_', severityNames),
    severityText: textOf(own(log, 'severityText')),
    body: anyValue(own(log, 'body'), bodyLevelsMax),
    eventName: textOf(own(log, 'eventName')),
    attributes: attributesOf(own(log, 'attributes')),
    droppedAttributes: countOf(own(log, 'droppedAttributesCount')),
  }
}

/** Reads the log records of a parsed body. */
export const readLogsJson = jsonReader({ lists: ['resourceLogs', 'scopeLogs', 'logRecords'], itemOf: logOf })
