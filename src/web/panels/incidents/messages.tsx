import { useTranslations } from 'next-intl'
import type { RestIncidentDetails } from '../../../contract/alerts/incidents.ts'
import { useAlertReason } from '../../client/alert-reason.ts'
import { PlainText } from '../../ui/plain-text.tsx'
import { SeverityShape } from '../../ui/severity.tsx'
import { Time } from '../../ui/time.tsx'

const shapes = { sent: 'ok', queued: 'warning', failed: 'error', suppressed: 'debug' } as const

/** The messages of an incident, newest first. */
export function IncidentMessages({ messages }: { messages: RestIncidentDetails['messages'] }) {
  const t = useTranslations('incidents')
  const reasonOf = useAlertReason()
  if (messages.length === 0) return <p className="text-ink-2">{t('noMessages')}</p>
  return (
    <ul className="border-t border-line">
      {messages.map(({ id, receiver, change, status, error, errorCode, dateCreated }) => (
        <li key={id} className="flex flex-wrap items-baseline gap-x-4 border-b border-line py-1.5">
          <SeverityShape level={shapes[status]} label="" />
          <span>{t(`delivery.${status}`)}</span>
          <span>{t(`change.${change}`)}</span>
          <span className="min-w-0 break-words">
            <PlainText text={receiver} />
          </span>
          <Time at={Date.parse(dateCreated)} className="text-small text-ink-3" />
          {error ? (
            <span className="basis-full text-small text-ink-2">
              <PlainText text={reasonOf(error, errorCode)} />
            </span>
          ) : null}
        </li>
      ))}
    </ul>
  )
}
