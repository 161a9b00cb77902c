'use client'
import { useQuery } from '@tanstack/react-query'
import { useLocale, useTranslations } from 'next-intl'
import type { RestInCommon } from '../../../contract/issues.ts'
import { commonEventsMin, commonLiftMin } from '../../../domain/in-common.ts'
import { type Answered, dataFor } from '../../client/answered.ts'
import { type ApiRequest, apiFetch } from '../../client/api.ts'
import { Section } from '../../ui/panel-section.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { type TagHrefs, TagValue } from './tag-value.tsx'

/** The largest ratio to show. A larger ratio only reflects how few other events there are. */
const liftShownMax = 100
const shownMax = 8

type CommonValue = RestInCommon['values'][number]

/** Tag values that this issue's events have more often than the project's others. A bar is here, the tick elsewhere. */
export function InCommon({
  organization,
  issueId,
  query,
  hrefs,
  preloaded,
}: {
  organization: string
  issueId: string
  query: NonNullable<ApiRequest['query']>
  hrefs: TagHrefs
  /** Loaded with the document. */
  preloaded: Answered<RestInCommon> | undefined
}) {
  const t = useTranslations('parts.common')
  const number = new Intl.NumberFormat(useLocale(), { maximumFractionDigits: 1 })
  const initialData = dataFor(preloaded, query)
  const { data, error } = useQuery({
    queryKey: ['in-common', organization, issueId, query],
    queryFn: ({ signal }) =>
      apiFetch<RestInCommon>(`organizations/${organization}/issues/${issueId}/in-common/`, { query, signal }),
    ...(initialData ? { initialData } : {}),
    retry: false,
  })
  if (!error && !data) return null
  const values = data?.values.slice(0, shownMax) ?? []
  return (
    <Section id="in-common" title={t('title')} note={values.length > 0 ? t('legend') : undefined}>
      {error ? (
        <p role="alert" className="part-note">
          {t('failed')} {error.message}
        </p>
      ) : null}
      {!error && data && values.length === 0 ? <WhyNot data={data} /> : null}
      {values.length > 0 ? (
        <ul className="in-common">
          {values.map((value) => (
            <Common key={`${value.key}=${value.value}`} common={value} hrefs={hrefs} />
          ))}
        </ul>
      ) : null}
      {data && values.length > 0 ? (
        <p className="part-note">
          {t('sampled', { own: number.format(data.own), others: number.format(Math.round(data.others)) })}
        </p>
      ) : null}
    </Section>
  )
}

/** One line that says why nothing is listed. */
function WhyNot({ data }: { data: RestInCommon }) {
  const t = useTranslations('parts.common')
  const text =
    data.own < commonEventsMin
      ? t('few', { count: data.own, min: commonEventsMin })
      : data.others === 0
        ? t('alone')
        : t('none', { lift: commonLiftMin })
  return <p className="part-note">{text}</p>
}

function Common({ common, hrefs }: { common: CommonValue; hrefs: TagHrefs }) {
  const t = useTranslations('parts.common')
  const number = new Intl.NumberFormat(useLocale(), { maximumFractionDigits: 1 })
  const whole = (share: number) => Math.round(share * 100)
  const lift =
    common.lift > liftShownMax ? t('liftOver', { lift: liftShownMax }) : t('lift', { lift: number.format(common.lift) })
  return (
    <li title={`${lift} (${number.format(common.low)} – ${number.format(common.high)})`}>
      <span className="in-common-line">
        <span className="text-ink-3">
          <PlainText text={common.key} charactersMax={60} />
        </span>
        <TagValue tag={common.key} value={common.value} hrefs={hrefs} charactersMax={24} />
        <b>{whole(common.ownShare)} %</b>
        <span className="in-common-other">{whole(common.otherShare)} %</span>
      </span>
      <span className="in-common-bar" aria-hidden="true">
        <span style={{ width: `${whole(common.ownShare)}%` }} />
        <i style={{ left: `${whole(common.otherShare)}%` }} />
      </span>
    </li>
  )
}
