'use client'
import { useQuery } from '@tanstack/react-query'
import { useLocale, useTranslations } from 'next-intl'
import type { RestLoggedRequest } from '../../../../../../contract/request-log.ts'
import type { RestJob, RestUsage } from '../../../../../../contract/status.ts'
import { apiFetch } from '../../../../../client/api.ts'
import { sectionPath } from '../../../../../client/settings-pages.ts'
import { Requests } from '../../../../../panels/request-log/requests.tsx'
import { Link } from '../../../../../ui/link.tsx'
import { PlainText } from '../../../../../ui/plain-text.tsx'
import { bytesText, durationText, relativeParts } from '../../../../../ui/relative.ts'
import { ScrollBox } from '../../../../../ui/scroll-box.tsx'
import { Section, TableHead } from '../../../../../ui/section.tsx'
import { SeverityShape } from '../../../../../ui/severity.tsx'
import { Time, useNow } from '../../../../../ui/time.tsx'

const pollMs = 5000
/** Disk usage changes slowly, and each query sums folders and tables. Poll this often, ms. */
const usagePollMs = 60_000

/** The result of a job as text: `dropped 2, removed 7`. */
function resultText(result: RestJob['result']): string {
  return Object.entries(result)
    .map(([name, value]) => `${name} ${typeof value === 'object' ? JSON.stringify(value) : String(value)}`)
    .join(', ')
}

function Job({ job }: { job: RestJob }) {
  const t = useTranslations('operation.jobs')
  const locale = useLocale()
  const now = useNow()
  const time = useTranslations('time')
  const nextMs = job.nextRun === null ? null : Date.parse(job.nextRun) - now
  // Show a due job as due in one second, because "in now" is not a text.
  const next = relativeParts(Math.max(1000, nextMs ?? 0))
  return (
    <tr className="align-top">
      <td>
        <span className="inline-flex items-baseline gap-2">
          <SeverityShape level={job.error ? 'error' : 'ok'} label="" sizePx={8} />
          <code>{job.name}</code>
        </span>
      </td>
      <td className="whitespace-nowrap">
        {job.running ? t('now') : job.lastRun ? <Time at={job.lastRun} /> : t('never')}
      </td>
      <td className="number whitespace-nowrap">{job.lastRun ? durationText(job.durationMs, locale) : ''}</td>
      <td className="break-words">
        {job.error ? (
          <span className="text-error">
            {t('failed', { count: job.failures })} <PlainText text={job.error} charactersMax={300} />
          </span>
        ) : (
          <PlainText text={resultText(job.result)} charactersMax={300} />
        )}
      </td>
      <td className="whitespace-nowrap text-ink-2">
        {nextMs === null ? '' : t('in', { time: time(next.unit, { count: next.count }) })}
      </td>
    </tr>
  )
}

/** All scheduled jobs. */
export function Jobs() {
  const t = useTranslations('operation.jobs')
  const { data } = useQuery({
    queryKey: ['jobs'],
    queryFn: ({ signal }) => apiFetch<RestJob[]>('status/jobs/', { signal }),
    refetchInterval: pollMs,
  })
  return (
    <Section title={t('title')} note={t('note')}>
      <ScrollBox label={t('title')}>
        <table className="table">
          <TableHead
            columns={[
              { text: t('name') },
              { text: t('last') },
              { text: t('took'), number: true },
              { text: t('result') },
              { text: t('next') },
            ]}
          />
          <tbody>
            {(data ?? []).map((job) => (
              <Job key={job.name} job={job} />
            ))}
          </tbody>
        </table>
      </ScrollBox>
    </Section>
  )
}

/** Disk usage by project and kind. */
export function Usage({ organization }: { organization: string }) {
  const t = useTranslations('operation.usage')
  const locale = useLocale()
  const path = `organizations/${encodeURIComponent(organization)}/usage/`
  const { data } = useQuery({
    queryKey: ['usage', path],
    queryFn: ({ signal }) => apiFetch<RestUsage>(path, { signal }),
    refetchInterval: usagePollMs,
  })
  if (!data) return null
  const { journalBytes, databaseBytes, spoolBytes } = data
  const isReported = journalBytes !== null && databaseBytes !== null && spoolBytes !== null
  return (
    <Section title={t('title')} note={t('note')}>
      <ScrollBox label={t('title')}>
        <table className="table">
          <TableHead
            columns={[
              { text: t('project') },
              { text: t('events'), number: true },
              { text: t('spans'), number: true },
              { text: t('logs'), number: true },
              { text: t('metrics'), number: true },
              { text: t('attachments'), number: true },
              { text: t('artifacts'), number: true },
              { text: t('dead'), number: true },
            ]}
          />
          <tbody>
            {data.projects.map((project) => (
              <tr key={project.id}>
                <td>
                  <Link className="link" href={sectionPath('ingest', organization, project.slug)}>
                    {project.slug}
                  </Link>
                </td>
                <td className="number whitespace-nowrap">
                  {project.events ? bytesText(project.events.bytes, locale) : t('away')}
                  {project.events ? (
                    <span className="ml-2 text-ink-3">{t('rows', { count: project.events.rows })}</span>
                  ) : null}
                  {project.events && project.events.thinned > 0 ? (
                    <span className="block text-ink-3">{t('thinned', { count: project.events.thinned })}</span>
                  ) : null}
                </td>
                <td className="number whitespace-nowrap">
                  {project.spans ? bytesText(project.spans.bytes, locale) : t('away')}
                  {project.spans ? <span className="ml-2 text-ink-3">({project.spans.rows})</span> : null}
                </td>
                <td className="number whitespace-nowrap">
                  {project.logs ? bytesText(project.logs.bytes, locale) : t('away')}
                  {project.logs ? <span className="ml-2 text-ink-3">({project.logs.rows})</span> : null}
                </td>
                <td className="number whitespace-nowrap">
                  {project.metrics ? bytesText(project.metrics.bytes, locale) : t('away')}
                  {project.metrics ? <span className="ml-2 text-ink-3">({project.metrics.rows})</span> : null}
                </td>
                <td className="number whitespace-nowrap">
                  {bytesText(project.attachments.bytes, locale)}{' '}
                  <span className="text-ink-3">({project.attachments.count})</span>
                </td>
                <td className="number whitespace-nowrap">
                  {bytesText(project.artifacts.bytes, locale)}{' '}
                  <span className="text-ink-3">({project.artifacts.count})</span>
                </td>
                <td className="number whitespace-nowrap">
                  {bytesText(project.deadItems.bytes, locale)}{' '}
                  <span className="text-ink-3">({project.deadItems.count})</span>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollBox>
      {isReported ? (
        <p className="mt-2 text-small text-ink-3">
          {t('shared', {
            journal: bytesText(journalBytes, locale),
            database: bytesText(databaseBytes, locale),
            spool: bytesText(spoolBytes, locale),
          })}
        </p>
      ) : null}
    </Section>
  )
}

/** The newest requests without a known key. A wrong DSN is visible only here. */
export function Strangers() {
  const t = useTranslations('operation.ingest')
  const { data } = useQuery({
    queryKey: ['strangers'],
    queryFn: ({ signal }) => apiFetch<RestLoggedRequest[]>('status/ingest/', { signal }),
    refetchInterval: pollMs,
  })
  return (
    <Section title={t('strange')} note={t('strangeNote')}>
      {data?.length === 0 ? <p className="text-ink-2">{t('noneStrange')}</p> : null}
      {data && data.length > 0 ? <Requests requests={data} /> : null}
    </Section>
  )
}
