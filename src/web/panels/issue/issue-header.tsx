'use client'
import { ChevronLeft, Link2 } from 'lucide-react'
import { useTranslations } from 'next-intl'
import type { RestEvent } from '../../../contract/events.ts'
import { withBase } from '../../base-path.ts'
import { Button } from '../../ui/controls.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Link } from '../../ui/link.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { SeverityShape } from '../../ui/severity.tsx'
import { RelativeTime } from '../../ui/time.tsx'
import { ReactWords } from '../diagnostics/react-words.tsx'
import { Certainty } from '../error-links/certainty.tsx'
import type { IssueContext } from '../panel.ts'
import { Attention } from '../triage/attention.tsx'
import { useStateWords } from '../triage/state-words.ts'
import { Badges, headOf } from './issue-row.tsx'

/** Title and state of the issue, with buttons to change it. */
export function IssueHeader(props: IssueContext) {
  const { detail, event, base, viewSearch, organization, actions } = props
  const t = useTranslations('issues')
  const words = useStateWords()
  const level = useTranslations('level')
  const badge = useTranslations('issues.badge')
  const { type, value } = headOf(detail)
  const state = words(detail.statusDetails, detail.substatus)
  return (
    <header className="issue-header">
      <div className="issue-crumbs">
        <Link href={`${base}${viewSearch}`} className="issue-back">
          <ChevronLeft size={14} strokeWidth={1.75} aria-hidden="true" /> {t('title')}
        </Link>
        <code>{detail.shortId}</code>
        <CopyButton text={actions.linkText} label={t('page.copyLink')} iconOnly />
        <span className="text-ink-3">
          <PlainText text={detail.project.name} charactersMax={64} />
        </span>
        <Badges issue={detail} badge={badge} />
        {state ? (
          <span className="text-ink-3">
            <PlainText text={state} charactersMax={240} />
          </span>
        ) : null}
        <Attention organization={organization} detail={detail} changed={actions.changed} />
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
          {event?.signs?.react ? <ReactWords react={event.signs.react} title={detail.title} /> : null}
          {detail.culprit ? (
            <p className="issue-where">
              <PlainText text={detail.culprit} charactersMax={300} />
            </p>
          ) : null}
        </div>
        <Actions {...props} />
      </div>
    </header>
  )
}

/** Buttons for the actions that also have keys. */
function Actions({ detail, canTriage, actions: { ask, decide } }: IssueContext) {
  const t = useTranslations('issues')
  const triage = useTranslations('triage.bar')
  const why = canTriage ? undefined : t('bulk.notAllowed')
  const isOpen = detail.status === 'unresolved'
  const button = (text: string, run: () => void, look?: 'main') => (
    <Button {...(look ? { look } : {})} compact disabled={!canTriage} title={why} onClick={run}>
      {text}
    </Button>
  )
  return (
    <div className="issue-actions">
      {isOpen
        ? button(t('bulk.resolve'), () => decide({ status: 'resolved' }), 'main')
        : button(t('bulk.unresolve'), () => decide({ status: 'unresolved' }))}
      {button(triage('resolveIn'), () => ask('resolve'))}
      {button(triage('archive'), () => ask('archive'))}
      {button(triage('snooze'), () => ask('snooze'))}
    </div>
  )
}

type NavProps = {
  event: RestEvent
  eventBase: string
  viewSearch: string
  copyMarkdown: () => Promise<string>
  jsonHref: string
  markdownHref: string
}

/** The position of this event, with links to its neighbours and to JSON and Markdown. */
export function EventNav({ event, eventBase, viewSearch, copyMarkdown, jsonHref, markdownHref }: NavProps) {
  const t = useTranslations('issues.page')
  const to = (choice: string | number) => `${eventBase}/${choice}${viewSearch}`
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
        {links.map((link) =>
          link.href ? (
            <Link key={link.key} className="button button-compact" href={link.href} scroll={false}>
              {link.label}
            </Link>
          ) : (
            <span key={link.key} className="button button-compact" aria-disabled="true">
              {link.label}
            </span>
          ),
        )}
        <Link className="button button-compact" href={`${eventBase}${viewSearch}`}>
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
          <span className="text-ink-3">
            <PlainText text={t('digestFound', { place: event.digest.found })} charactersMax={200} />
          </span>{' '}
          <Certainty sure={event.digests.some((digest) => digest.sure && digest.value === event.digest?.value)} />
          {event.digests.length > 1 ? (
            <a className="link" href="#digests">
              {t('allDigests', { count: event.digests.length })}
            </a>
          ) : null}
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
