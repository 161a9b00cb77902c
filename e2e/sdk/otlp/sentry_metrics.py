# Counts, measures and times with the official SDK of Sentry for Python, within a transaction.
import os

import sentry_sdk
from sentry_sdk import metrics

sentry_sdk.init(dsn=os.environ["DSN"], release="billing@2.3.4", environment="production", traces_sample_rate=1.0)
with sentry_sdk.start_transaction(name="POST /quote", op="http.server"):
    for n in range(6):
        metrics.count("billing.quotes", 1 + n, attributes={"plan": "pro" if n % 2 else "free", "items": n})
    metrics.gauge("billing.queue", 42)
    metrics.distribution("billing.latency", 120, unit="millisecond", attributes={"route": "/quote"})
sentry_sdk.flush(10)
