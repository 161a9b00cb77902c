/** What can send log lines, in the order of the choice. */
export const logSenders = ['javascript', 'python', 'opentelemetry', 'vercel', 'heroku'] as const
export type LogSender = (typeof logSenders)[number]

/** Returns what a person sets up so that a sender's lines arrive. `dsn`: that of the project. */
export function logSnippetOf(sender: LogSender, dsn: string): string {
  const { origin, pathname, username } = new URL(dsn)
  const ingest = `${origin}${pathname.replace(/\/([^/]*)$/, '/api/$1')}`
  switch (sender) {
    case 'javascript':
      return `import * as Sentry from '@sentry/node'

Sentry.init({ dsn: '${dsn}', enableLogs: true })

Sentry.logger.info(Sentry.logger.fmt\`cart \${cartId} loaded\`, { 'cart.items': 3 })`
    case 'python':
      return `import logging
import sentry_sdk

sentry_sdk.init(dsn="${dsn}", enable_logs=True)

logging.getLogger("cart").info("cart %s loaded", cart_id)`
    case 'opentelemetry':
      return `OTEL_LOGS_EXPORTER=otlp
OTEL_EXPORTER_OTLP_LOGS_PROTOCOL=http/protobuf
OTEL_EXPORTER_OTLP_LOGS_ENDPOINT=${ingest}/integration/otlp/v1/logs
OTEL_EXPORTER_OTLP_LOGS_HEADERS=x-sentry-auth=sentry sentry_key=${username}`
    case 'vercel':
      return `# Vercel: Settings > Log Drains > Custom, JSON or NDJSON
Endpoint: ${ingest}/integration/vercel/logs?sentry_key=${username}`
    case 'heroku':
      return `heroku drains:add '${ingest}/integration/heroku/logs?sentry_key=${username}'`
  }
}
