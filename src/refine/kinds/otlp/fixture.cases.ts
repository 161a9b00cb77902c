import { attributesOf, type jsonBody, protobufOf, startNano } from '../../../wire/otlp.cases.ts'
import { type OtlpFormat, otlpContentType } from '../../../wire/otlp.ts'
import { refineBody } from '../../pipeline/fixture.cases.ts'

// For tests of this folder: a body in both encodings, refined.

type Body = ReturnType<typeof jsonBody>
export const encoders: Record<OtlpFormat, (body: Body) => Buffer> = {
  protobuf: protobufOf,
  json: (body) => Buffer.from(JSON.stringify(body)),
}
export const formats = ['protobuf', 'json'] as const
export const headOf = (format: OtlpFormat) => ({ kind: 'otlp', contentType: otlpContentType[format] }) as const
type More = [settings?: Parameters<typeof refineBody>[2]]
export const refined = (format: OtlpFormat, body: Body, ...more: More) =>
  refineBody(encoders[format](body), headOf(format), ...more)
export const raw = (body: Buffer) => refineBody(body, headOf('protobuf'))

/** The body of a total of one stream, which grows by one with each. */
export function totalBody(n: number, word = ''): Buffer {
  const dataPoint = {
    startTimeUnixNano: startNano,
    timeUnixNano: startNano + BigInt(n + 1) * 1_000_000n,
    asInt: 10 + n,
  }
  const sum = { aggregationTemporality: 2, isMonotonic: true, dataPoints: [dataPoint] }
  const scopeMetrics = [{ metrics: [{ name: 'orders', sum }] }]
  const resource = { attributes: attributesOf({ 'service.name': 'billing' }) }
  return Buffer.from(
    JSON.stringify({ resourceMetrics: [{ resource, scopeMetrics }], word }, (_, value) =>
      typeof value === 'bigint' ? String(value) : value,
    ),
  )
}
