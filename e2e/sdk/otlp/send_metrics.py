# Sends metrics of each kind with the official SDK of OpenTelemetry, twice, as a running program does.
import os
import time

from opentelemetry.exporter.otlp.proto.http import Compression
from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
from opentelemetry.metrics import Observation
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader
from opentelemetry.sdk.metrics.view import ExponentialBucketHistogramAggregation, View
from opentelemetry.sdk.resources import Resource

exporter = OTLPMetricExporter(
    endpoint=os.environ["OTLP_URL"],
    headers={"x-sentry-auth": f"sentry sentry_key={os.environ['OTLP_KEY']}"},
    compression=Compression.Gzip if os.environ["OTLP_COMPRESSION"] == "gzip" else Compression.NoCompression,
)
provider = MeterProvider(
    resource=Resource.create(
        {"service.name": "billing", "service.version": "2.3.4", "deployment.environment.name": "production"}
    ),
    views=[View(instrument_name="fine", aggregation=ExponentialBucketHistogramAggregation(max_size=160))],
    metric_readers=[PeriodicExportingMetricReader(exporter, export_interval_millis=3_600_000)],
)
meter = provider.get_meter("shop", "1.0.0")
orders = meter.create_counter("orders")
open_orders = meter.create_up_down_counter("open")
latency = meter.create_histogram("latency", unit="ms")
fine = meter.create_histogram("fine", unit="ms")
meter.create_observable_gauge("queue", callbacks=[lambda _options: [Observation(7, {"shard": "a"})]])
for added in (3, 4):
    orders.add(added, {"plan": "pro"})
    open_orders.add(5 if added == 3 else -2)
    for n in range(1, 51):
        latency.record(n * 10)
        fine.record(n * 10)
    assert provider.force_flush()
    # The next export needs another time.
    time.sleep(0.05)
provider.shutdown()
