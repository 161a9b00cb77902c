'use client'
import { useQuery } from '@tanstack/react-query'
import { useLocale, useTranslations } from 'next-intl'
import { useState } from 'react'
import type { RestEvent } from '../../../contract/events.ts'
import type { RestTag } from '../../../contract/issues.ts'
import { type Answered, dataFor } from '../../client/answered.ts'
import { type ApiRequest, apiFetch } from '../../client/api.ts'
import { Button } from '../../ui/forms/controls.tsx'
import { Section } from '../../ui/panel-section.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { RowEnd } from '../../ui/row-end.tsx'
import { Segments } from '../../ui/segments.tsx'
import { sharesOf } from './shares.ts'
import { orderedTags } from './tag-order.ts'
import { type TagHrefs, TagValue } from './tag-value.tsx'

/** Tags that are open at first, and values of each. */
const tagsShown = 12
const valuesShown = 4

type IssueTags = {
  organization: string
  issueId: string
  query: NonNullable<ApiRequest['query']>
  /** Loaded with the document. */
  preloaded: Answered<RestTag[]> | undefined
}

/** The distribution of the tags over the issue's newest events. Panels that use it share one request. */
export function useIssueTags({ organization, issueId, query, preloaded }: IssueTags): RestTag[] | undefined {
  const initialData = dataFor(preloaded, query)
  const { data } = useQuery({
    queryKey: ['issue-tags', organization, issueId, query],
    queryFn: ({ signal }) =>
      apiFetch<RestTag[]>(`organizations/${organization}/issues/${issueId}/tags/`, { query, signal }),
    ...(initialData ? { initialData } : {}),
    retry: false,
  })
  return data
}

/** Number of events that were counted. Every event has a level, so the largest total counts them all. */
const eventsCounted = (tags: readonly RestTag[]): number => Math.max(0, ...tags.map((tag) => tag.totalValues))

/** All tags: their shares among the issue's events, or the values of this event. */
export function Tags({ event, hrefs, ...issue }: IssueTags & { event: RestEvent | undefined; hrefs: TagHrefs }) {
  const t = useTranslations('parts.tags')
  const [view, setView] = useState<'shares' | 'event'>('shares')
  const data = useIssueTags(issue)
  const shares = orderedTags(data ?? [])
  const own = orderedTags(event?.tags ?? [])
  if (shares.length === 0 && own.length === 0) return null
  const shown = shares.length === 0 ? 'event' : own.length === 0 ? 'shares' : view
  return (
    <Section
      id="tags"
      title={t('title')}
      note={
        shown === 'shares' ? t('note', { count: shares.length, events: eventsCounted(data ?? []) }) : String(own.length)
      }
      aside={
        shares.length > 0 && own.length > 0 ? (
          <Segments
            label={t('view')}
            value={shown}
            onChange={setView}
            choices={[
              { value: 'shares', label: t('shares') },
              { value: 'event', label: t('event') },
            ]}
          />
        ) : null
      }
    >
      {shown === 'shares' ? (
        <Shares tags={shares} events={eventsCounted(data ?? [])} hrefs={hrefs} issue={issue} />
      ) : (
        <ul className="tag-list">
          {own.map((tag) => (
            <TagChip key={tag.key} tag={tag.key} value={tag.value} hrefs={hrefs} />
          ))}
        </ul>
      )}
    </Section>
  )
}

/** A tag of an event on one line with others. */
export function TagChip({ tag, value, hrefs }: { tag: string; value: string; hrefs: TagHrefs }) {
  return (
    <li className="tag-chip">
      <span>
        <PlainText text={tag} charactersMax={60} />
      </span>
      <TagValue tag={tag} value={value} hrefs={hrefs} charactersMax={64} />
    </li>
  )
}

type SharesProps = { tags: readonly RestTag[]; events: number; hrefs: TagHrefs; issue: IssueTags }

function Shares({ tags, events, hrefs, issue }: SharesProps) {
  const t = useTranslations('parts.tags')
  const list = (some: readonly RestTag[]) => (
    <div className="tag-shares">
      {some.map((tag) => (
        <TagShares key={tag.key} tag={tag} events={events} hrefs={hrefs} issue={issue} />
      ))}
      <RowEnd />
    </div>
  )
  return (
    <>
      {list(tags.slice(0, tagsShown))}
      {tags.length > tagsShown ? (
        <details className="fold">
          <summary>{t('moreTags', { count: tags.length - tagsShown })}</summary>
          {list(tags.slice(tagsShown))}
        </details>
      ) : null}
    </>
  )
}

/** The values of one tag with their events. All of them on demand, at most 1,000. */
function TagShares({ tag, events, hrefs, issue }: { tag: RestTag } & Omit<SharesProps, 'tags'>) {
  const t = useTranslations('parts.tags')
  const number = new Intl.NumberFormat(useLocale())
  const [isOpen, setOpen] = useState(false)
  const { organization, issueId, query } = issue
  const { data, error } = useQuery({
    queryKey: ['issue-tag', organization, issueId, tag.key, query],
    queryFn: ({ signal }) =>
      apiFetch<{ value: string; count: number }[]>(
        `organizations/${organization}/issues/${issueId}/tags/${encodeURIComponent(tag.key)}/values/`,
        { query, signal },
      ),
    enabled: isOpen && tag.uniqueValues > tag.topValues.length,
    retry: false,
  })
  const values = isOpen ? (data ?? tag.topValues) : tag.topValues.slice(0, valuesShown)
  const others = tag.totalValues - values.reduce((sum, value) => sum + value.count, 0)
  const hidden = tag.uniqueValues - values.length
  return (
    <div className="tag-share-list">
      <h3>
        <PlainText text={tag.key} charactersMax={60} />
      </h3>
      <ul>
        {sharesOf(values, events).map((share) => (
          <li key={share.value}>
            <TagValue tag={tag.key} value={share.value} hrefs={hrefs} charactersMax={22} />
            <Share {...share} text={number.format(share.count)} />
          </li>
        ))}
        {hidden > 0 && others > 0 ? (
          <li>
            <span className="text-ink-3">{t('others', { count: hidden })}</span>
            <Share {...sharesOf([{ value: '', count: others }], events)[0]} text={number.format(others)} />
          </li>
        ) : null}
      </ul>
      {error ? (
        <p role="alert" className="part-note">
          {error.message}
        </p>
      ) : null}
      {!isOpen && hidden > 0 ? (
        <Button compact look="plain" onClick={() => setOpen(true)}>
          {t('all', { count: tag.uniqueValues, tag: tag.key.slice(0, 60) })}
        </Button>
      ) : null}
    </div>
  )
}

/** Number and share of events, with a bar of `percent` (0-100). */
export function Share({ percent = 0, text }: { percent?: number; text: string }) {
  return (
    <>
      <span className="share-bar" aria-hidden="true">
        <span style={{ width: `${Math.max(1, percent)}%` }} />
      </span>
      <span className="share-text">
        {text}, {percent} %
      </span>
    </>
  )
}
