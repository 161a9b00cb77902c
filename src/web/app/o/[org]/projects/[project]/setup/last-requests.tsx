'use client'
import { useQuery } from '@tanstack/react-query'
import { useLocale, useTranslations } from 'next-intl'
import type { RestRequestLog } from '../../../../../../../contract/request-log.ts'
import { apiFetch } from '../../../../../../client/api.ts'
import { Link } from '../../../../../../ui/link.tsx'
import { PlainText } from '../../../../../../ui/plain-text.tsx'
import { bytesText } from '../../../../../../ui/relative.ts'
import { Time } from '../../../../../../ui/time.tsx'

/** Polling interval, ms. Ingest reports requests every 500 ms. */
const pollMs = 2000

/** Number of requests to show. The page of rejected data has the last 100. */
const requestsMax = 5

/** The newest requests with the project's keys: time, HTTP status, items and size. */
export function LastRequests({ organization, project, rejectedData }: LastRequestsProps) {
  const t = useTranslations('lastRequests')
  const locale = useLocale()
  const path = `projects/${encodeURIComponent(organization)}/${encodeURIComponent(project)}/ingest/`
  const { data } = useQuery({
    queryKey: ['ingest', path, ''],
    queryFn: ({ signal }) => apiFetch<RestRequestLog>(path, { signal }),
    refetchInterval: pollMs,
  })
  if (!data?.requests.length) return null
  return (
    <section className="mt-6 min-w-0">
      <div className="mb-2 flex items-baseline justify-between">
        <h2>{t('title')}</h2>
        <Link className="link text-small" href={rejectedData}>
          {t('all')}
        </Link>
      </div>
      <ol className="last-requests">
        {data.requests.slice(0, requestsMax).map((request, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two requests in one millisecond can be equal
          <li key={`${request.receivedAt}:${at}`}>
            <span className="text-ink-3">
              <Time at={request.receivedAt} />
            </span>
            <code className={request.status >= 400 ? 'text-error' : undefined}>{request.status}</code>
            <span className="min-w-0 break-words">
              <PlainText text={itemsText(request)} charactersMax={120} />{' '}
              <span className="text-ink-3">{bytesText(request.bytes, locale)}</span>
            </span>
          </li>
        ))}
      </ol>
    </section>
  )
}
type LastRequestsProps = {
  organization: string
  project: string
  /** The page with all requests. */
  rejectedData: string
}

/** The types of a request's items, each once. A refused request without items has its code. */
function itemsText({ items, code, route }: RestRequestLog['requests'][number]): string {
  const types = [...new Set(items.map((item) => item.type).filter(Boolean))]
  return types.join(', ') || (code === 'OK' ? route : code)
}
