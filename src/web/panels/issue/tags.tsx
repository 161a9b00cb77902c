'use client'
import { useQuery } from '@tanstack/react-query'
import { useTranslations } from 'next-intl'
import type { RestEvent } from '../../../contract/events.ts'
import type { RestTag } from '../../../contract/issues.ts'
import { type Answered, dataFor } from '../../client/answered.ts'
import { type ApiRequest, apiFetch } from '../../client/api.ts'
import { Link } from '../../ui/link.tsx'
import { Section } from '../../ui/panel-section.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { sharesOf } from './shares.ts'

/** Path of the stream, filtered by a tag value. */
export type TagHref = (key: string, value: string) => string

/** The event's tags. Each links to the issues with that tag. */
export function EventTags({ event, hrefOf }: { event: RestEvent; hrefOf: TagHref }) {
  const t = useTranslations('issues.tags')
  return (
    <Section id="tags" title={t('title')}>
      <ul className="tag-list">
        {event.tags.map((tag) => (
          <li key={tag.key}>
            <Link href={hrefOf(tag.key, tag.value)} title={t('filter')}>
              <span>
                <PlainText text={tag.key} charactersMax={60} />
              </span>
              <b>
                <PlainText text={tag.value} charactersMax={200} />
              </b>
            </Link>
          </li>
        ))}
      </ul>
    </Section>
  )
}

/** The distribution of the tags over the issue's newest events. A click on a value filters the stream. */
export function TagBars({
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
  preloaded: Answered<RestTag[]> | undefined
}) {
  const t = useTranslations('issues.tags')
  const initialData = dataFor(preloaded, query)
  const { data } = useQuery({
    queryKey: ['issue-tags', organization, issueId, query],
    queryFn: ({ signal }) =>
      apiFetch<RestTag[]>(`organizations/${organization}/issues/${issueId}/tags/`, { query, signal }),
    ...(initialData ? { initialData } : {}),
    retry: false,
  })
  if (!data?.length) return null
  return (
    <Section id="tag-bars" title={t('distribution')}>
      {data.slice(0, 12).map((tag) => (
        <div key={tag.key} className="tag-bars">
          <h3>
            <PlainText text={tag.key} charactersMax={60} />
          </h3>
          <ul>
            {sharesOf(tag.topValues.slice(0, 4), tag.totalValues).map((share) => (
              <li key={share.value}>
                <Link href={hrefOf(tag.key, share.value)} title={t('filter')}>
                  <span className="tag-bar" style={{ width: `${Math.max(1, share.percent)}%` }} />
                  <span className="tag-value">
                    {share.value ? <PlainText text={share.value} charactersMax={80} /> : t('empty')}
                  </span>
                  <span className="tag-share">{share.percent} %</span>
                </Link>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </Section>
  )
}
