import { getTranslations } from 'next-intl/server'
import type { RestEvent } from '../../../contract/events.ts'
import { Link } from '../../ui/link.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { ReleaseLink } from '../../ui/release-link.tsx'
import { SeverityShape } from '../../ui/severity.tsx'
import { RelativeTime } from '../../ui/time.tsx'

const tagOf = (event: RestEvent, key: string): string => event.tags.find((tag) => tag.key === key)?.value ?? ''

const levels = ['fatal', 'error', 'warning', 'info', 'debug'] as const
const levelOf = (event: RestEvent) => levels.find((level) => level === tagOf(event, 'level')) ?? 'error'

/** A table of an issue's events. Each row links to the issue page with that event. */
export async function EventTable({
  events,
  organization,
  base,
  viewSearch,
}: {
  events: readonly RestEvent[]
  organization: string
  /** Path of the events: `/o/acme/issues/WEB-1/events`. */
  base: string
  /** Query string with the range and environment, including `?`. */
  viewSearch: string
}) {
  const t = await getTranslations('search.events')
  const level = await getTranslations('level')
  return (
    <div className="event-table">
      <table>
        <thead>
          <tr>
            <th scope="col">{t('event')}</th>
            <th scope="col">{t('when')}</th>
            <th scope="col">{t('release')}</th>
            <th scope="col">{t('environment')}</th>
            <th scope="col">{t('user')}</th>
            <th scope="col">{t('place')}</th>
          </tr>
        </thead>
        <tbody>
          {events.map((event) => (
            <tr key={event.eventID}>
              <td className="event-first">
                <SeverityShape level={levelOf(event)} label={level(levelOf(event))} />
                <Link className="link" href={`${base}/${event.eventID}${viewSearch}`}>
                  <code>{event.eventID.slice(0, 8)}</code>{' '}
                  <PlainText text={event.message || event.title} charactersMax={160} />
                </Link>
              </td>
              <td className="whitespace-nowrap">
                <RelativeTime at={event.dateCreated} />
              </td>
              <td>
                {event.release ? <ReleaseLink organization={organization} version={event.release.version} /> : null}
              </td>
              <td>
                <PlainText text={event.environment ?? ''} charactersMax={64} />
              </td>
              <td>
                <PlainText text={tagOf(event, 'user')} charactersMax={60} />
              </td>
              <td>
                <PlainText text={tagOf(event, 'url') || tagOf(event, 'transaction')} charactersMax={80} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
