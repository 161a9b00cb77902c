import { type jsonBody, protobufOf } from '../../../wire/otlp.cases.ts'
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
