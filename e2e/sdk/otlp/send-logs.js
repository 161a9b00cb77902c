// Sends log records with the official SDK of OpenTelemetry: a text, a structured body, and an event without a body.
import { context, TraceFlags, trace } from '@opentelemetry/api'
import { OTLPLogExporter as HttpExporter } from '@opentelemetry/exporter-logs-otlp-http'
import { OTLPLogExporter as ProtoExporter } from '@opentelemetry/exporter-logs-otlp-proto'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { BatchLogRecordProcessor, LoggerProvider } from '@opentelemetry/sdk-logs'

const { OTLP_URL: url, OTLP_KEY: key, OTLP_FORMAT: format, OTLP_COMPRESSION: compression } = process.env
const Exporter = format === 'json' ? HttpExporter : ProtoExporter
const exporter = new Exporter({ url, headers: { 'x-sentry-auth': `sentry sentry_key=${key}` }, compression })
const provider = new LoggerProvider({
  resource: resourceFromAttributes({
    'service.name': 'billing',
    'service.version': '2.3.4',
    'deployment.environment.name': 'production',
    'host.name': 'b-7',
    'telemetry.sdk.language': 'nodejs',
  }),
  processors: [new BatchLogRecordProcessor({ exporter })],
})
const logger = provider.getLogger('shop', '1.0.0')
const caller = { traceId: process.env.TRACE_ID, spanId: 'b7ad6b7169203331', traceFlags: TraceFlags.SAMPLED }
const inTrace = trace.setSpanContext(context.active(), caller)
logger.emit({
  severityNumber: 17,
  severityText: 'ERROR',
  body: 'no rate for this country',
  attributes: { 'cart.items': 3, password: 'PLANTED' },
  context: inTrace,
})
logger.emit({ severityNumber: 9, body: { order: { items: [{ id: 41 }, { id: 42 }] } }, context: inTrace })
logger.emit({ severityNumber: 13, eventName: 'cart.left', attributes: { 'cart.items': 1 } })
await provider.forceFlush()
await provider.shutdown()
