'use client'
import './error-links.css'
import { useTranslations } from 'next-intl'
import { useState } from 'react'
import type { RestBrowserEvent, RestClientEnds, RestErrorLink } from '../../../contract/error-links.ts'
import { Link } from '../../ui/link.tsx'
import { Section } from '../../ui/panel-section.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { Segments } from '../../ui/segments.tsx'
import { Time } from '../../ui/time.tsx'
import { Certainty } from './certainty.tsx'

function Row({ event, base }: { event: RestBrowserEvent; base: string }) {
  const t = useTranslations('failures')
  const href = event.groupID === null ? undefined : `${base}/${event.groupID}/events/${event.eventID}`
  const name = <code>{event.eventID.slice(0, 8)}</code>
  return (
    <tr>
      <td>
        {href ? (
          <Link className="link" href={href}>
            {name}
          </Link>
        ) : (
          <span title={t('moved')}>{name}</span>
        )}
      </td>
      <td>
        <Time at={event.dateReceived} />
      </td>
      <td>
        <PlainText text={event.projectSlug} charactersMax={64} />
      </td>
      <td>
        {t(`by.${event.reason}`)} <Certainty sure={event.sure} why={t(`why.${event.reason}`)} />
      </td>
      <td>
        {href ? (
          <Link className="link" href={`${href}#breadcrumbs`}>
            {t('breadcrumbs')}
          </Link>
        ) : null}
      </td>
    </tr>
  )
}

/**
 * Browser events caused by the server errors of the issue or of one event: counts, the newest ten, and links to each
 * event and its breadcrumbs. Renders nothing without browser events.
 */
export function BrowserEvents({
  base,
  clientEnds,
  ofEvent,
}: {
  /** Path of the issues: `/o/acme/issues`. */
  base: string
  clientEnds: RestClientEnds
  ofEvent: RestErrorLink['browser']
}) {
  const t = useTranslations('failures')
  const [whose, setWhose] = useState<'issue' | 'event'>('issue')
  const ownEvents = ofEvent?.events ?? 0
  if (clientEnds.events === 0) return null
  const shown = whose === 'event' ? { events: ownEvents, newest: ofEvent?.newest ?? [] } : clientEnds
  return (
    <Section
      id="browser-side"
      title={t('browserSide')}
      aside={
        ofEvent ? (
          <Segments
            label={t('whose')}
            value={whose}
            choices={[
              { value: 'issue', label: t('ofIssue', { count: clientEnds.events }) },
              { value: 'event', label: t('ofEvent', { count: ownEvents }) },
            ]}
            onChange={setWhose}
          />
        ) : null
      }
    >
      <p>
        <b>{t('browserNumbers', { events: clientEnds.events, people: clientEnds.people })}</b>
        {clientEnds.lastSeen ? (
          <span className="text-ink-3">
            {' · '}
            {t('lastSeen')} <Time at={clientEnds.lastSeen} />
          </span>
        ) : null}
      </p>
      <p className="text-ink-3">{t('apart')}</p>
      {shown.newest.length === 0 ? (
        <p className="part-note">{t('noneOfEvent')}</p>
      ) : (
        <table className="table browser-events">
          <thead>
            <tr>
              <th scope="col">{t('event')}</th>
              <th scope="col">{t('received')}</th>
              <th scope="col">{t('project')}</th>
              <th scope="col">{t('link')}</th>
              <th scope="col">{t('breadcrumbs')}</th>
            </tr>
          </thead>
          <tbody>
            {shown.newest.map((event) => (
              <Row key={`${event.projectID}:${event.eventID}`} event={event} base={base} />
            ))}
          </tbody>
        </table>
      )}
      {shown.events > shown.newest.length && shown.newest.length > 0 ? (
        <p className="part-note">{t('newest', { count: shown.newest.length })}</p>
      ) : null}
    </Section>
  )
}
