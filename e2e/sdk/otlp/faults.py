# A service with two planted faults, traced by the official SDK of OpenTelemetry: each of its statements runs in SQLite.
import os
import sqlite3
import time

from opentelemetry import trace
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor

resource = Resource.create(
    {"service.name": "billing", "service.version": "2.3.4", "deployment.environment.name": "production"}
)
exporter = OTLPSpanExporter(
    endpoint=os.environ["OTLP_URL"], headers={"x-sentry-auth": f"sentry sentry_key={os.environ['OTLP_KEY']}"}
)
provider = TracerProvider(resource=resource)
provider.add_span_processor(BatchSpanProcessor(exporter))
tracer = provider.get_tracer("billing", "1.0.0")

database = sqlite3.connect(":memory:")
database.create_function("sleep", 1, time.sleep)
database.executescript("create table invoices (id integer); create table lines (invoice integer, name text)")
for invoice in range(12):
    database.execute("insert into invoices values (?)", [invoice])
    database.executemany("insert into lines values (?, ?)", [[invoice, "lamp"], [invoice, "table"]])


def query(name, text, *values):
    attributes = {"db.system.name": "sqlite", "db.query.text": text}
    with tracer.start_as_current_span(name, kind=trace.SpanKind.CLIENT, attributes=attributes):
        return database.execute(text, values).fetchall()


def request(route, work):
    attributes = {"http.request.method": "GET", "http.route": route, "url.path": route}
    with tracer.start_as_current_span(f"GET {route}", kind=trace.SpanKind.SERVER, attributes=attributes):
        work()


def invoices():
    """Planted fault: N+1. The lines come with one query for each invoice."""
    for (invoice,) in query("SELECT invoices", "SELECT id FROM invoices"):
        query("SELECT lines", "SELECT name FROM lines WHERE invoice = ?", invoice)


def statistics():
    """Planted fault: a slow statement."""
    query("SELECT lines", "SELECT count(*), sleep(1.3) FROM lines WHERE rowid = 1")


request("/invoices", invoices)
request("/statistics", statistics)
assert provider.force_flush()
provider.shutdown()
