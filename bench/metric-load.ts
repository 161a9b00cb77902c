import { randomBytes } from 'node:crypto'
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire'

/** Bodies of metrics: the same points with other times, values and traces. Each has the length of `body`. */
type MetricLoad = { body: Buffer; points: number; next(): Buffer }

/** Stand-ins in a body that are replaced: fixed64 times and doubles of protobuf. */
const timeMark = 0x1122334455667788n
const valueMark = 1.2345678901234567e89

const metricsOf = 20
const seriesOf = 50

type Write = (writer: BinaryWriter) => void
const message =
  (field: number, ...parts: Write[]): Write =>
  (writer) => {
    writer.tag(field, WireType.LengthDelimited).fork()
    for (const part of parts) part(writer)
    writer.join()
  }
const text =
  (field: number, value: string): Write =>
  (writer) =>
    void writer.tag(field, WireType.LengthDelimited).string(value)
const attribute = (field: number, key: string, value: string) =>
  message(field, text(1, key), message(2, text(1, value)))

/** Where a mark is in a body. */
function placesOf(body: Buffer, mark: Buffer): number[] {
  const places: number[] = []
  for (let at = body.indexOf(mark); at >= 0; at = body.indexOf(mark, at + mark.length)) places.push(at)
  return places
}

/** Points of a service that is measured by OpenTelemetry: 20 metrics with 50 series of four attributes, as protobuf. */
export function createOtlpMetricLoad(): MetricLoad {
  const point = (n: number) =>
    message(
      1,
      (writer) => void writer.tag(3, WireType.Bit64).fixed64(timeMark),
      (writer) => void writer.tag(4, WireType.Bit64).double(valueMark),
      attribute(7, 'http.route', `/orders/${n % 10}`),
      attribute(7, 'http.request.method', n % 2 ? 'GET' : 'POST'),
      attribute(7, 'http.response.status_code', String(200 + (n % 5))),
      attribute(7, 'region', n % 3 ? 'eu-west' : 'us-east'),
    )
  const metrics = Array.from({ length: metricsOf }, (_, n) =>
    message(
      2,
      text(1, `shop.metric.${n}`),
      text(3, 'ms'),
      message(5, ...Array.from({ length: seriesOf }, (_unused, at) => point(at))),
    ),
  )
  const writer = new BinaryWriter()
  message(
    1,
    message(1, attribute(1, 'service.name', 'shop'), attribute(1, 'host.name', 'web-1')),
    message(2, ...metrics),
  )(writer)
  const body = Buffer.from(writer.finish())
  const mark = Buffer.alloc(8)
  mark.writeBigUInt64LE(timeMark)
  const times = placesOf(body, mark)
  mark.writeDoubleLE(valueMark)
  const values = placesOf(body, mark)
  return {
    body,
    points: times.length,
    next: () => {
      const made = Buffer.from(body)
      const nowMs = Date.now()
      for (const [n, at] of times.entries()) made.writeBigUInt64LE(BigInt(nowMs - (n % 1000)) * 1_000_000n, at)
      // Measurements have few digits, as milliseconds do.
      for (const at of values) made.writeDoubleLE(Math.round(Math.random() * 20_000) / 10, at)
      return made
    },
  }
}

/** Points of the JavaScript SDK, version 11: 1,000 in a container, as its buffer sends them, from 20 traces. */
export function createSdkMetricLoad(): MetricLoad {
  const count = 1000
  const make = (): Buffer => {
    const traces = Array.from({ length: 20 }, () => randomBytes(16).toString('hex'))
    const nowS = Date.now() / 1000
    const items = Array.from({ length: count }, (_, n) => {
      const attributes = {
        plan: n % 2 ? 'pro_' : 'free',
        'server.address': `web-${n % 5}`,
        'sentry.release': 'shop@1.2.0',
      }
      const typed = Object.entries(attributes).map(([key, value]) => `"${key}":{"value":"${value}","type":"string"}`)
      // Below 1,000: a body with one more digit than its head says ends its connection.
      const value = (Math.random() * 899 + 100).toFixed(1)
      return `{"timestamp":${(nowS - n / count).toFixed(4)},"trace_id":"${traces[n % 20]}","name":"shop.metric.${String(n % 20).padStart(2, '0')}","type":"distribution","unit":"millisecond","value":${value},"attributes":{${typed.join(',')}}}`
    })
    const head = `{"type":"trace_metric","item_count":${count},"content_type":"application/vnd.sentry.items.trace-metric+json"}`
    return Buffer.from(
      `{"sdk":{"name":"sentry.javascript.node","version":"11.12.0"}}\n${head}\n{"items":[${items.join(',')}]}`,
    )
  }
  return { body: make(), points: count, next: make }
}
