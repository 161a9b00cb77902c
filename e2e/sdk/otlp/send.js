// Sends a trace with the official SDK of OpenTelemetry: a request, its query and its call, with an exception and a link.
import { context, SpanKind, SpanStatusCode, TraceFlags, trace } from '@opentelemetry/api'
import { OTLPTraceExporter as HttpExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { OTLPTraceExporter as ProtoExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'

const { OTLP_URL: url, OTLP_KEY: key, OTLP_FORMAT: format, OTLP_COMPRESSION: compression } = process.env
const Exporter = format === 'json' ? HttpExporter : ProtoExporter
const exporter = new Exporter({ url, headers: { 'x-sentry-auth': `sentry sentry_key=${key}` }, compression })
const provider = new TracerProvider({
  resource: resourceFromAttributes({
    'service.name': 'billing',
    'service.version': '2.3.4',
    'deployment.environment.name': 'production',
    'telemetry.sdk.language': 'nodejs',
  }),
  spanProcessors: [new BatchSpanProcessor({ exporter })],
})
const tracer = provider.getTracer('shop', '1.0.0')
const caller = {
  traceId: process.env.TRACE_ID,
  spanId: 'b7ad6b7169203331',
  traceFlags: TraceFlags.SAMPLED,
  isRemote: true,
}
const request = tracer.startSpan(
  'POST /quote',
  {
    kind: SpanKind.SERVER,
    attributes: { 'http.request.method': 'POST', 'http.route': '/quote', 'user.id': 'u-7', 'cart.items': 3 },
    links: [{ context: { ...caller, spanId: 'b7ad6b7169203332' } }],
  },
  trace.setSpanContext(context.active(), caller),
)
const inner = trace.setSpan(context.active(), request)
const query = tracer.startSpan(
  'SELECT quotes',
  { kind: SpanKind.CLIENT, attributes: { 'db.system.name': 'postgresql', 'db.query.text': 'SELECT * FROM quotes' } },
  inner,
)
query.end()
request.recordException(new TypeError('no rate for this country'))
request.setStatus({ code: SpanStatusCode.ERROR, message: 'no rate' })
request.end()
await provider.forceFlush()
await provider.shutdown()
