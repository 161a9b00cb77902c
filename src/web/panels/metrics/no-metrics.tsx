import { useTranslations } from 'next-intl'
import { CopyButton } from '../../ui/copy/copy-button.tsx'
import { NoProject, RemovableScope } from '../../ui/empty-list.tsx'
import { buttonClass } from '../../ui/forms/controls.tsx'
import { Link } from '../../ui/link.tsx'
import { ScrollBox } from '../../ui/scroll-box.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { changedSearch, type MetricChange, type MetricParams } from './params.ts'

const sdkSnippet = (dsn: string) => `Sentry.init({ dsn: '${dsn}' })

Sentry.metrics.count('orders', 1, { attributes: { plan: 'pro' } })
Sentry.metrics.gauge('queue.length', 42)
Sentry.metrics.distribution('cart.value', 99.9, { unit: 'euro' })`

const otlpSnippet = (endpoint: string, key: string) => `OTEL_EXPORTER_OTLP_METRICS_ENDPOINT=${endpoint}
OTEL_EXPORTER_OTLP_METRICS_HEADERS=x-sentry-auth=sentry%20sentry_key%3D${key}`

function Snippet({ label, text }: { label: string; text: string }) {
  const t = useTranslations('metrics')
  return (
    <div className="mt-4">
      <h3>{label}</h3>
      <ScrollBox label={label}>
        <pre className="border border-line p-3">{text}</pre>
      </ScrollBox>
      <p className="mt-2">
        <CopyButton text={text} label={t('copy')} />
      </p>
    </div>
  )
}

/** What a project sends metrics with. */
export type MetricTarget = { dsn: string; endpoint: string; key: string }

/** Shown if no metric came in the range: how to send metrics. */
export function NoMetrics({ organization, target }: { organization: string; target: MetricTarget | undefined }) {
  const t = useTranslations('metrics')
  if (target === undefined) return <NoProject organization={organization} />
  return (
    <EmptyState title={t('none')}>
      <p>{t('noneTodo')}</p>
      <Snippet label={t('withSdk')} text={sdkSnippet(target.dsn)} />
      <Snippet label={t('withOtlp')} text={otlpSnippet(target.endpoint, target.key)} />
    </EmptyState>
  )
}

/** Shown if metrics exist but none matches. Each filter has a button that removes it. */
export function NoMatches({ base, params, search }: { base: string; params: MetricParams; search: string }) {
  const t = useTranslations('metrics')
  const to = (change: MetricChange) => base + changedSearch(new URLSearchParams(search), change)
  return (
    <EmptyState title={t('noneFound')}>
      <p>{t('noneFoundTodo')}</p>
      <div className="mt-4 flex flex-wrap gap-2">
        <RemovableScope params={params} to={to} />
        {params.at > 0 ? (
          <Link className={buttonClass({ compact: true })} href={to({ at: null })}>
            {t('firstPage')}
          </Link>
        ) : null}
      </div>
    </EmptyState>
  )
}
