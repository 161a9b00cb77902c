# Sends a trace with the official SDK of OpenTelemetry: a request and its query, with an exception and a link.
import os

from opentelemetry import trace
from opentelemetry.exporter.otlp.proto.http import Compression
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor

resource = Resource.create(
    {"service.name": "billing", "service.version": "2.3.4", "deployment.environment.name": "production"}
)
compression = Compression.Gzip if os.environ["OTLP_COMPRESSION"] == "gzip" else Compression.NoCompression
exporter = OTLPSpanExporter(
    endpoint=os.environ["OTLP_URL"],
    headers={"x-sentry-auth": f"sentry sentry_key={os.environ['OTLP_KEY']}"},
    compression=compression,
)
provider = TracerProvider(resource=resource)
provider.add_span_processor(BatchSpanProcessor(exporter))
tracer = provider.get_tracer("shop", "1.0.0")


def caller(span_id):
    return trace.SpanContext(
        int(os.environ["TRACE_ID"], 16), span_id, is_remote=True, trace_flags=trace.TraceFlags(trace.TraceFlags.SAMPLED)
    )


parent = trace.set_span_in_context(trace.NonRecordingSpan(caller(0xB7AD6B7169203331)))
with tracer.start_as_current_span(
    "POST /quote",
    context=parent,
    kind=trace.SpanKind.SERVER,
    attributes={"http.request.method": "POST", "http.route": "/quote", "user.id": "u-7", "cart.items": 3},
    links=[trace.Link(caller(0xB7AD6B7169203332))],
) as request:
    with tracer.start_as_current_span(
        "SELECT quotes",
        kind=trace.SpanKind.CLIENT,
        attributes={"db.system.name": "postgresql", "db.query.text": "SELECT * FROM quotes"},
    ):
        pass
    request.record_exception(TypeError("no rate for this country"))
    request.set_status(trace.StatusCode.ERROR, "no rate")

assert provider.force_flush()
provider.shutdown()
