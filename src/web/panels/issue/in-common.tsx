'use client'
import { useQuery } from '@tanstack/react-query'
import { useLocale, useTranslations } from 'next-intl'
import type { RestInCommon } from '../../../contract/issues.ts'
import { type Answered, dataFor } from '../../client/answered.ts'
import { type ApiRequest, apiFetch } from '../../client/api.ts'
import { Link } from '../../ui/link.tsx'
import { Section } from '../../ui/panel-section.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import type { TagHref } from './tags.tsx'

/** The largest ratio to show. A larger ratio only reflects how few other events there are. */
const liftShownMax = 100
const shownMax = 8

/** Tag values that this issue's events have more often than the project's others, with links to filter by them. */
export function InCommon({
  organization,
  issueId,
  query,
  hrefOf,
  preloaded,
}: {
  organization: string
  issueId: string
  query: NonNullable<ApiRequest['query']>
  hrefOf: TagHref
  /** Loaded with the document. */
  preloaded: Answered<RestInCommon> | undefined
}) {
  const t = useTranslations('triage.common')
  const number = new Intl.NumberFormat(useLocale(), { maximumFractionDigits: 1 })
  const initialData = dataFor(preloaded, query)
  const { data, error } = useQuery({
    queryKey: ['in-common', organization, issueId, query],
    queryFn: ({ signal }) =>
      apiFetch<RestInCommon>(`organizations/${organization}/issues/${issueId}/in-common/`, { query, signal }),
    ...(initialData ? { initialData } : {}),
    retry: false,
  })
  // Without other events in the project there is nothing to compare.
  if (!error && (!data || data.others === 0)) return null
  const percent = (share: number) => number.format(share * 100)
  return (
    <Section id="in-common" title={t('title')}>
      <p className="part-note">{t('note')}</p>
      {error ? (
        <p role="alert" className="part-note">
          {t('failed')} {error.message}
        </p>
      ) : null}
      {!error && data?.values.length === 0 ? <p className="part-note">{t('none')}</p> : null}
      <ul className="in-common">
        {data?.values.slice(0, shownMax).map((commonValue) => (
          <li key={`${commonValue.key}=${commonValue.value}`}>
            <Link
              href={hrefOf(commonValue.key, commonValue.value)}
              title={t('filter', { key: commonValue.key.slice(0, 60), value: commonValue.value.slice(0, 80) })}
            >
              <span className="in-common-name">
                <span className="text-ink-3">
                  <PlainText text={commonValue.key} charactersMax={60} />
                </span>{' '}
                <b>
                  <PlainText text={commonValue.value} charactersMax={60} />
                </b>
              </span>
              <span
                className="in-common-lift"
                title={`${number.format(commonValue.low)} – ${number.format(commonValue.high)}`}
              >
                {commonValue.lift > liftShownMax
                  ? t('liftOver', { lift: liftShownMax })
                  : t('lift', { lift: number.format(commonValue.lift) })}
              </span>
            </Link>
            <span className="text-small text-ink-3">
              {t('share', { own: percent(commonValue.ownShare), other: percent(commonValue.otherShare) })}
            </span>
          </li>
        ))}
      </ul>
      {data && data.values.length > 0 ? (
        <p className="part-note">
          {t('sampled', { own: number.format(data.own), others: number.format(Math.round(data.others)) })}
        </p>
      ) : null}
    </Section>
  )
}
