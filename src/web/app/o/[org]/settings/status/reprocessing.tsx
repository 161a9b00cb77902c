'use client'
import { useQuery } from '@tanstack/react-query'
import { useLocale, useTranslations } from 'next-intl'
import type { RestRegroupings } from '../../../../../../contract/reprocessing.ts'
import { apiFetch } from '../../../../../client/api.ts'
import { PlainText } from '../../../../../ui/plain-text.tsx'
import { ScrollBox } from '../../../../../ui/scroll-box.tsx'
import { Section, TableHead } from '../../../../../ui/section.tsx'
import { SeverityShape } from '../../../../../ui/severity.tsx'
import { QueryFailed } from '../../../../../ui/states.tsx'
import { Time } from '../../../../../ui/time.tsx'

const pollMs = 2000

function Run({ run }: { run: RestRegroupings['runs'][number] }) {
  const t = useTranslations('operation.regroupings')
  const count = new Intl.NumberFormat(useLocale())
  const { project, cause, dateCreated, dateEnded, total, looked, mapped, moved, issues, error } = run
  return (
    <tr className="align-top">
      <td className="whitespace-nowrap">
        <Time at={dateCreated} />
      </td>
      <td>
        <PlainText text={project.slug} charactersMax={60} />
      </td>
      <td>
        {dateEnded ? (
          t('done', { total: count.format(total) })
        ) : (
          <>
            <progress max={Math.max(1, total)} value={looked} aria-label={t('progress')} />{' '}
            <span className="whitespace-nowrap">
              {t('underWay', { looked: count.format(looked), total: count.format(total) })}
            </span>
          </>
        )}
        {error ? (
          <p className="text-error">
            <PlainText text={error} charactersMax={300} />
          </p>
        ) : null}
      </td>
      <td className="number">{count.format(mapped)}</td>
      <td className="number">{count.format(issues)}</td>
      <td className="number">{count.format(moved)}</td>
      <td>{t(cause)}</td>
    </tr>
  )
}

/** Events that are reprocessed because their source maps arrived later, with progress. */
export function Regroupings({ organization }: { organization: string }) {
  const t = useTranslations('operation.regroupings')
  const path = `organizations/${encodeURIComponent(organization)}/regroupings/`
  const { data, error } = useQuery({
    queryKey: ['regroupings', path],
    queryFn: ({ signal }) => apiFetch<RestRegroupings>(path, { signal }),
    refetchInterval: pollMs,
  })
  return (
    <Section title={t('title')} note={t('note')}>
      <QueryFailed error={error} />
      {data?.full.map(({ project, noted, refused }) => (
        <p key={project.id} className="mb-2">
          <SeverityShape level="warning" label="" sizePx={8} /> {t('full', { project: project.slug, noted, refused })}
        </p>
      ))}
      {data?.runs.length === 0 ? <p className="text-ink-2">{t('never')}</p> : null}
      {data && data.runs.length > 0 ? (
        <ScrollBox label={t('title')}>
          <table className="table">
            <TableHead
              columns={[
                { text: t('when') },
                { text: t('project') },
                { text: t('looked') },
                { text: t('mapped'), number: true },
                { text: t('issues'), number: true },
                { text: t('moved'), number: true },
                { text: t('why') },
              ]}
            />
            <tbody>
              {data.runs.map((run) => (
                <Run key={run.id} run={run} />
              ))}
            </tbody>
          </table>
        </ScrollBox>
      ) : null}
    </Section>
  )
}
