import { normalizeId, normalizeSpanId } from '../../../wire/ids.ts'
import { object, own } from '../../pipeline/value.ts'
import { attributesOf, countOf, jsonReader, list, member, microseconds, textOf } from './json.ts'
import { emptySpan, entriesMax, type OtlpEvent, type OtlpLink, type OtlpSpan } from './message.ts'

function eventOf(sent: unknown): OtlpEvent {
  const event = object(sent) ?? {}
  return {
    name: textOf(own(event, 'name')),
    atUs: microseconds(own(event, 'timeUnixNano')),
    attributes: attributesOf(own(event, 'attributes')),
  }
}

function linkOf(sent: unknown): OtlpLink {
  const link = object(sent) ?? {}
  return {
    traceId: normalizeId(own(link, 'traceId')),
    spanId: normalizeSpanId(own(link, 'spanId')),
    traceState: textOf(own(link, 'traceState')),
    flags: countOf(own(link, 'flags')),
    attributes: attributesOf(own(link, 'attributes')),
  }
}

/** Names of the enums. */
const kindNames = ['UNSPECIFIED', 'INTERNAL', 'SERVER', 'CLIENT', 'PRODUCER', 'CONSUMER']
const codeNames = ['UNSET', 'OK', 'ERROR']

function spanOf(sent: unknown): OtlpSpan | undefined {
  const span = object(sent)
  if (!span) return undefined
  const status = object(own(span, 'status')) ?? {}
  return {
    ...emptySpan(),
    traceId: normalizeId(own(span, 'traceId')),
    spanId: normalizeSpanId(own(span, 'spanId')),
    parentId: normalizeSpanId(own(span, 'parentSpanId')) ?? '',
    traceState: textOf(own(span, 'traceState')),
    name: own(span, 'name'),
    kind: member(own(span, 'kind'), 'SPAN_KIND_', kindNames),
    flags: countOf(own(span, 'flags')),
    startUs: microseconds(own(span, 'startTimeUnixNano')),
    endUs: microseconds(own(span, 'endTimeUnixNano')),
    attributes: attributesOf(own(span, 'attributes')),
    events: list(own(span, 'events')).slice(0, entriesMax).map(eventOf),
    links: list(own(span, 'links')).slice(0, entriesMax).map(linkOf),
    dropped: {
      attributes: countOf(own(span, 'droppedAttributesCount')),
      events: countOf(own(span, 'droppedEventsCount')),
      links: countOf(own(span, 'droppedLinksCount')),
    },
    status: { code: member(own(status, 'code'), 'STATUS_CODE_', codeNames), message: textOf(own(status, 'message')) },
  }
}

/** Reads the spans of a parsed body. */
export const readSpansJson = jsonReader({ lists: ['resourceSpans', 'scopeSpans', 'spans'], itemOf: spanOf })
