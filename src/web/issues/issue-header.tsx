'use client'
import { ChevronLeft, Link2 } from 'lucide-react'
import { useLocale, useTranslations } from 'next-intl'
import type { IssueStatus, RestEvent, RestIssueDetail } from '../../protocol/rest.ts'
import { withBase } from '../base-path.ts'
import { ReleaseLink } from '../releases/release-link.tsx'
import { Button } from '../ui/controls.tsx'
import { CopyButton } from '../ui/copy-button.tsx'
import { Link } from '../ui/link.tsx'
import { PlainText } from '../ui/plain-text.tsx'
import { SeverityShape } from '../ui/severity.tsx'
import { RelativeTime } from '../ui/time.tsx'
import { AssigneeName } from './assignee.tsx'
import { Badges, headOf } from './issue-row.tsx'

type HeaderProps = {
  detail: RestIssueDetail
  base: string
  listSearch: string
  canTriage: boolean
  decide: (status: IssueStatus) => void
  linkText: () => string
}

/** What the issue is, its state and what can be done with it. */
export function IssueHeader({ detail, base, listSearch, canTriage, decide, linkText }: HeaderProps) {
  const t = useTranslations('issues')
  const level = useTranslations('level')
  const badge = useTranslations('issues.badge')
  const { type, value } = headOf(detail)
  const why = canTriage ? undefined : t('bulk.notAllowed')
  return (
    <header className="issue-header">
      <div className="issue-crumbs">
        <Link href={`${base}${listSearch}`} className="issue-back">
          <ChevronLeft size={14} strokeWidth={1.75} aria-hidden="true" /> {t('title')}
        </Link>
        <code>{detail.shortId}</code>
        <CopyButton text={linkText} label={t('page.copyLink')} iconOnly />
        <span className="text-ink-3">
          <PlainText text={detail.project.name} charactersMax={64} />
        </span>
        <Badges issue={detail} t={badge} />
      </div>
      <div className="issue-title">
        <SeverityShape level={detail.level} label={level(detail.level)} sizePx={13} />
        <div className="min-w-0">
          <h1>
            <PlainText text={type} charactersMax={300} />
          </h1>
          {value ? (
            <p className="issue-message">
              <PlainText text={value} charactersMax={600} />
            </p>
          ) : null}
          {detail.culprit ? (
            <p className="issue-where">
              <PlainText text={detail.culprit} charactersMax={300} />
            </p>
          ) : null}
        </div>
        <div className="issue-actions">
          {detail.status === 'unresolved' ? (
            <>
              <Button look="main" compact disabled={!canTriage} title={why} onClick={() => decide('resolved')}>
                {t('bulk.resolve')}
              </Button>
              <Button compact disabled={!canTriage} title={why} onClick={() => decide('ignored')}>
                {t('bulk.archive')}
              </Button>
            </>
          ) : (
            <Button compact disabled={!canTriage} title={why} onClick={() => decide('unresolved')}>
              {t('bulk.unresolve')}
            </Button>
          )}
        </div>
      </div>
    </header>
  )
}

/** Numbers of the issue: events and users in the range and over its life, first and last seen with their releases. */
export function IssueNumbers({
  detail,
  organization,
  askAssignee,
}: {
  detail: RestIssueDetail
  organization: string
  askAssignee: (() => void) | undefined
}) {
  const t = useTranslations('issues')
  const locale = useLocale()
  const number = new Intl.NumberFormat(locale)
  const seen = [
    [t('seen.first'), detail.lifetime.firstSeen, detail.firstRelease?.version],
    [t('seen.last'), detail.lifetime.lastSeen, detail.lastRelease?.version],
  ] as const
  return (
    <dl className="issue-numbers">
      <div>
        <dt>{t('column.events')}</dt>
        <dd>
          <b>{number.format(Number(detail.count))}</b>{' '}
          <span>{t('page.ofAll', { count: number.format(Number(detail.lifetime.count)) })}</span>
          {detail.thinned > 0 ? (
            <span className="block whitespace-normal">{t('page.thinned', { count: detail.thinned })}</span>
          ) : null}
        </dd>
      </div>
      <div>
        <dt>{t('column.users')}</dt>
        <dd>
          <b>{number.format(detail.userCount)}</b>{' '}
          <span>{t('page.ofAll', { count: number.format(detail.lifetime.userCount) })}</span>
        </dd>
      </div>
      {seen.map(([name, at, release]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            <RelativeTime at={at} /> {release ? <ReleaseLink organization={organization} version={release} /> : null}
          </dd>
        </div>
      ))}
      <div>
        <dt>{t('column.assignee')}</dt>
        <dd>
          <AssigneeName issue={detail} ask={askAssignee} />
        </dd>
      </div>
    </dl>
  )
}

type NavProps = {
  event: RestEvent
  eventBase: string
  kept: string
  copyMarkdown: () => Promise<string>
  jsonHref: string
  markdownHref: string
}

/** Which event this is, and the way to its neighbours and to its other forms. */
export function EventNav({ event, eventBase, kept, copyMarkdown, jsonHref, markdownHref }: NavProps) {
  const t = useTranslations('issues.page')
  const to = (choice: string | number) => `${eventBase}/${choice}${kept}`
  const links = [
    { key: 'first', label: t('oldest'), href: event.previousEventID ? to('first') : undefined },
    { key: 'older', label: t('older'), href: event.previousEventID ? to(event.previousEventID) : undefined },
    { key: 'newer', label: t('newer'), href: event.nextEventID ? to(event.nextEventID) : undefined },
    { key: 'latest', label: t('latest'), href: event.nextEventID ? to('latest') : undefined },
  ]
  return (
    <div className="event-nav">
      <div className="event-which">
        <b>{t('number', { number: event.number, total: event.total })}</b>{' '}
        <RelativeTime at={event.dateCreated} className="text-ink-3" /> <code className="event-id">{event.eventID}</code>
      </div>
      <div className="event-links">
        {links.map((one) =>
          one.href ? (
            <Link key={one.key} className="button button-compact" href={one.href} scroll={false}>
              {one.label}
            </Link>
          ) : (
            <span key={one.key} className="button button-compact" aria-disabled="true">
              {one.label}
            </span>
          ),
        )}
        <Link className="button button-compact" href={`${eventBase}${kept}`}>
          {t('allEvents')}
        </Link>
        <CopyButton text={copyMarkdown} label={t('copyMarkdown')} />
        <a className="link" href={withBase(markdownHref)}>
          .md
        </a>
        <a className="link" href={withBase(jsonHref)}>
          .json
        </a>
      </div>
      {event.digest ? (
        <p className="event-digest">
          <Link2 size={14} strokeWidth={1.75} aria-hidden="true" /> {t('digest')}{' '}
          <Link className="link" href={`/d/${encodeURIComponent(event.digest.value)}`}>
            <code>
              <PlainText text={event.digest.value} charactersMax={200} />
            </code>
          </Link>{' '}
          <span className="text-ink-3">{t('digestFound', { place: event.digest.found })}</span>
        </p>
      ) : null}
      {event.dateMapped ? (
        <p className="text-small text-ink-3">
          {t('mappedAgain')} <RelativeTime at={event.dateMapped} />
        </p>
      ) : null}
    </div>
  )
}
