// Sends metrics of each kind with the official SDK of OpenTelemetry, twice, as a running program does.
import { OTLPMetricExporter as HttpExporter } from '@opentelemetry/exporter-metrics-otlp-http'
import { OTLPMetricExporter as ProtoExporter } from '@opentelemetry/exporter-metrics-otlp-proto'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { AggregationType, MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics'

const { OTLP_URL: url, OTLP_KEY: key, OTLP_FORMAT: format, OTLP_COMPRESSION: compression } = process.env
const Exporter = format === 'json' ? HttpExporter : ProtoExporter
const exporter = new Exporter({ url, headers: { 'x-sentry-auth': `sentry sentry_key=${key}` }, compression })
const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 })
const provider = new MeterProvider({
  resource: resourceFromAttributes({
    'service.name': 'billing',
    'service.version': '2.3.4',
    'deployment.environment.name': 'production',
  }),
  views: [
    { instrumentName: 'fine', aggregation: { type: AggregationType.EXPONENTIAL_HISTOGRAM, options: { maxSize: 160 } } },
  ],
  readers: [reader],
})
const meter = provider.getMeter('shop', '1.0.0')
const orders = meter.createCounter('orders')
const openOrders = meter.createUpDownCounter('open')
const latency = meter.createHistogram('latency', { unit: 'ms' })
const fine = meter.createHistogram('fine', { unit: 'ms' })
meter.createObservableGauge('queue').addCallback((result) => result.observe(7, { shard: 'a' }))
for (const added of [3, 4]) {
  orders.add(added, { plan: 'pro' })
  openOrders.add(added === 3 ? 5 : -2)
  for (let n = 1; n <= 50; n++) {
    latency.record(n * 10)
    fine.record(n * 10)
  }
  await provider.forceFlush()
  // The next export needs another time.
  await new Promise((resolve) => setTimeout(resolve, 50))
}
await provider.shutdown()
