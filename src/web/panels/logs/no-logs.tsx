'use client'
import { useTranslations } from 'next-intl'
import { useState } from 'react'
import { CopyButton } from '../../ui/copy-button.tsx'
import { NoProject, RemovableScope } from '../../ui/empty-list.tsx'
import { ScrollBox } from '../../ui/scroll-box.tsx'
import { Segments } from '../../ui/segments.tsx'
import { EmptyState } from '../../ui/states.tsx'
import type { LogParams } from './params.ts'

const senders = ['javascript', 'python', 'opentelemetry', 'vercel', 'heroku'] as const
type Sender = (typeof senders)[number]

/** What a reader sets up. `ingest` is the address of the project: `https://host/api/1`. */
function snippetOf(sender: Sender, dsn: string): string {
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

/** Shown if no line came in the range: how to send lines. */
export function NoLogs({ organization, dsn }: { organization: string; dsn: string | undefined }) {
  const t = useTranslations('logs.empty')
  const [sender, setSender] = useState<Sender>('javascript')
  if (dsn === undefined) return <NoProject organization={organization} />
  const snippet = snippetOf(sender, dsn)
  return (
    <EmptyState title={t('none')}>
      <p className="mb-3">{t('todo')}</p>
      <Segments
        label={t('sender')}
        value={sender}
        choices={senders.map((value) => ({ value, label: t(value) }))}
        onChange={setSender}
      />
      <ScrollBox label={t('none')}>
        <pre className="mt-3 border border-line p-3">{snippet}</pre>
      </ScrollBox>
      <p className="mt-2">
        <CopyButton text={snippet} label={t('copy')} />
      </p>
    </EmptyState>
  )
}

/** Shown if no line matches. Each filter has a button that removes it. */
export function NoMatches({
  params,
  to,
}: {
  params: LogParams
  to: (change: { q?: null; project?: null; env?: null }) => string
}) {
  const t = useTranslations('logs.empty')
  return (
    <EmptyState title={t('noMatch')}>
      <p>{t('noMatchTodo')}</p>
      <div className="mt-4 flex flex-wrap gap-2">
        <RemovableScope params={params} to={to} />
      </div>
    </EmptyState>
  )
}
