'use client'
import { useTranslations } from 'next-intl'
import type { Delivery } from '../../../../../../../store/meta/issues/alerts.ts'
import { useAlertReason } from '../../../../../../client/alert-reason.ts'
import { Link } from '../../../../../../ui/link.tsx'
import { PlainText } from '../../../../../../ui/plain-text.tsx'
import { SeverityShape } from '../../../../../../ui/severity.tsx'
import { Time } from '../../../../../../ui/time.tsx'
import { sendAgainAction } from '../actions.ts'
import { ChannelButton } from '../channel-row.tsx'

/** A message as the log shows it. */
export type LoggedDelivery = Pick<
  Delivery,
  'id' | 'kind' | 'recipient' | 'status' | 'attempts' | 'error' | 'createdMs' | 'steps'
> & { issueId: number | null }

const shapeOf = { sent: 'ok', queued: 'warning', failed: 'error', suppressed: 'debug' } as const

function Steps({ delivery }: { delivery: LoggedDelivery }) {
  const t = useTranslations('channels')
  const reasonOf = useAlertReason()
  if (delivery.steps.length === 0) return null
  return (
    <details className="mt-1">
      <summary className="text-small text-ink-2">{t('steps')}</summary>
      <ol className="mt-1 border-l border-line pl-3 text-small">
        {delivery.steps.map(({ atMs, step, text }) => (
          <li key={`${atMs} ${step} ${text}`} className="py-0.5">
            <Time at={atMs} className="text-ink-3" /> {t(`step_${step}`)}
            {text ? (
              <span className="text-ink-2 wrap-anywhere">
                {': '}
                <PlainText text={reasonOf(text)} />
              </span>
            ) : null}
          </li>
        ))}
      </ol>
    </details>
  )
}

/** The messages of a channel, newest first, each with its steps. */
export function DeliveryLog({
  organization,
  channel,
  mayWrite,
  deliveries,
  olderId,
  isFirst,
}: {
  organization: string
  channel: number
  mayWrite: boolean
  deliveries: readonly LoggedDelivery[]
  olderId: number | null
  isFirst: boolean
}) {
  const t = useTranslations('channels')
  const reasonOf = useAlertReason()
  const base = `/o/${organization}/settings/notifications/${channel}`
  return (
    <section className="mt-8">
      <h2>{t('logTitle')}</h2>
      <p className="mb-3 max-w-[72ch] text-ink-2">{t('logIntro')}</p>
      {deliveries.length === 0 ? (
        <p className="border-t border-line py-4 text-ink-3">{isFirst ? t('logEmpty') : t('logEnd')}</p>
      ) : (
        <ul className="border-t border-line">
          {deliveries.map((delivery) => (
            <li key={delivery.id} className="border-b border-line py-2" data-delivery={delivery.id}>
              <div className="flex flex-wrap items-baseline gap-x-3 gap-y-1">
                <SeverityShape level={shapeOf[delivery.status]} label="" sizePx={9} />
                <span>{t(`status_${delivery.status}`)}</span>
                {delivery.issueId === null ? (
                  <span>{t(`message_${delivery.kind}`)}</span>
                ) : (
                  <Link className="link" href={`/o/${organization}/issues/${delivery.issueId}`}>
                    {t(`message_${delivery.kind}`)} {delivery.issueId}
                  </Link>
                )}
                <span className="min-w-0 text-ink-3 wrap-anywhere">{delivery.recipient}</span>
                <Time at={delivery.createdMs} className="text-ink-3" />
                {mayWrite && delivery.kind !== 'test' && delivery.status !== 'queued' ? (
                  <div className="ml-auto">
                    <ChannelButton
                      organization={organization}
                      id={channel}
                      action={sendAgainAction}
                      name={`again-${delivery.id}`}
                      delivery={delivery.id}
                      label={t('sendAgainLabel', { id: delivery.id })}
                    >
                      {t('sendAgain')}
                    </ChannelButton>
                  </div>
                ) : null}
              </div>
              {delivery.error ? (
                <p className="text-small text-ink-2 wrap-anywhere">
                  <PlainText text={reasonOf(delivery.error)} />
                </p>
              ) : null}
              <Steps delivery={delivery} />
            </li>
          ))}
        </ul>
      )}
      <p className="mt-2 flex gap-4">
        {isFirst ? null : (
          <Link className="link" href={base}>
            {t('newest')}
          </Link>
        )}
        {olderId === null ? null : (
          <Link className="link" href={`${base}?before=${olderId}`}>
            {t('older')}
          </Link>
        )}
      </p>
    </section>
  )
}
