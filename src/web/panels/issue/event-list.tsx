import { getTranslations } from 'next-intl/server'
import type { RestEvent } from '../../../contract/events.ts'
import { Link } from '../../ui/link.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { ReleaseLink } from '../../ui/release-link.tsx'
import { SeverityShape } from '../../ui/severity.tsx'
import { Time } from '../../ui/time.tsx'
import { tagOf } from './event-columns.ts'
import { cutMiddle } from './tag-order.ts'

const levels = ['fatal', 'error', 'warning', 'info', 'debug'] as const
const levelOf = (event: RestEvent) => levels.find((level) => level === tagOf(event, 'level')) ?? 'error'

/** A table of an issue's events with a column for each of some tags. Each row links to the issue page with that event. */
export async function EventTable({
  events,
  columns,
  organization,
  base,
  viewSearch,
}: {
  events: readonly RestEvent[]
  /** Keys of tags. */
  columns: readonly string[]
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
            {columns.map((column) => (
              <th key={column} scope="col">
                <PlainText text={column} charactersMax={40} />
              </th>
            ))}
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
                <Time at={event.dateCreated} />
              </td>
              {columns.map((column) => (
                <td key={column} data-label={column.slice(0, 40)}>
                  {column === 'release' && event.release ? (
                    <ReleaseLink organization={organization} version={event.release.version} />
                  ) : (
                    <span title={tagOf(event, column)}>
                      <PlainText text={cutMiddle(tagOf(event, column), 40)} />
                    </span>
                  )}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
