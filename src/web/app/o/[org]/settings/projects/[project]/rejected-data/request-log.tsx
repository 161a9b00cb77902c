'use client'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useTranslations } from 'next-intl'
import { parseAsString, useQueryState } from 'nuqs'
import type { RestRequestLog } from '../../../../../../../../contract/request-log.ts'
import { apiFetch } from '../../../../../../../client/api.ts'
import { Requests } from '../../../../../../../panels/request-log/requests.tsx'
import { Select } from '../../../../../../../ui/forms/controls.tsx'
import { useLive } from '../../../../../../../ui/live.tsx'
import { EmptyState, QueryFailed } from '../../../../../../../ui/states.tsx'

/** Polling interval, ms. Ingest reports requests every 500 ms. */
const pollMs = 2000

/** The last 100 requests of each key. Refreshes every 2 s and after each commit. */
export function RequestLog({ organization, project }: { organization: string; project: string }) {
  const t = useTranslations('operation.ingest')
  const common = useTranslations('common')
  const client = useQueryClient()
  const [key, setKey] = useQueryState('key', parseAsString.withDefault(''))
  const path = `projects/${encodeURIComponent(organization)}/${encodeURIComponent(project)}/ingest/`
  const { data, error } = useQuery({
    queryKey: ['ingest', path, key],
    queryFn: ({ signal }) => apiFetch<RestRequestLog>(path, { signal, query: { key: key || undefined } }),
    refetchInterval: pollMs,
    placeholderData: (before) => before,
  })
  useLive((change) => {
    if (change.kind === 'events') void client.invalidateQueries({ queryKey: ['ingest', path] })
  })
  return (
    <>
      <p className="mb-4 max-w-[72ch] text-ink-2">{t('note')}</p>
      {data && data.keys.length > 1 ? (
        <Select
          className="mb-4 w-auto"
          aria-label={t('key')}
          value={key}
          onChange={(event) => void setKey(event.target.value || null)}
        >
          <option value="">{t('all')}</option>
          {data.keys.map((projectKey) => (
            <option key={projectKey.id} value={projectKey.id}>
              {projectKey.isActive ? projectKey.label : `${projectKey.label} (${t('disabled')})`}
            </option>
          ))}
        </Select>
      ) : null}
      <QueryFailed error={error} />
      {data === undefined ? error ? null : <EmptyState title={common('loading')} /> : null}
      {data?.requests.length === 0 ? <p className="text-ink-2">{t('none')}</p> : null}
      {data && data.requests.length > 0 ? (
        <Requests
          requests={data.requests}
          keys={new Map(data.keys.map((projectKey) => [projectKey.id, projectKey.label]))}
        />
      ) : null}
    </>
  )
}
