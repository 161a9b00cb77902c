'use client'
import { useTranslations } from 'next-intl'
import type { ReactNode } from 'react'
import type { ChannelKind, ChannelSubscription } from '../../../../../../domain/alerts/channel-kinds.ts'
import type { Delivery } from '../../../../../../store/meta/issues/alerts.ts'
import { useAlertReason } from '../../../../../client/alert-reason.ts'
import { noState } from '../../../../../client/form.ts'
import { ActionForm } from '../../../../../ui/forms/action-form.tsx'
import { Button } from '../../../../../ui/forms/controls.tsx'
import { Link } from '../../../../../ui/link.tsx'
import { PlainText } from '../../../../../ui/plain-text.tsx'
import { SeverityShape } from '../../../../../ui/severity.tsx'
import { Time, useAge } from '../../../../../ui/time.tsx'
import {
  askToConfirmAction,
  type ChannelState,
  deleteChannelAction,
  switchChannelAction,
  testChannelAction,
} from './actions.ts'

export type ShownChannel = {
  id: number
  kind: ChannelKind
  name: string
  target: string
  project: string | null
  active: boolean
  failingSinceMs: number | null
  lastError: string
  /** What the service said about the last message that it took. */
  lastAnswer: string
  /** The service wants no message before; null: it named no time. */
  pausedUntilMs: number | null
  subscription: ChannelSubscription
  /** Addresses that belong to no member and are not confirmed. */
  unconfirmed: { address: string; askedMs: number | null; error: string }[]
  /** Whether this is a mail channel without a mail server. */
  withoutServer: boolean
}
export type ShownDelivery = {
  id: number
  kind: Delivery['kind']
  recipient: string
  issueId: number | null
  issues: number
  status: Delivery['status']
  attempts: number
  error: string
  createdMs: number
}

export const startState: ChannelState = { ...noState, secret: null, notice: null }

type Action = (before: ChannelState, data: FormData) => Promise<ChannelState>

/** A button that acts on one channel, with its result next to it. */
export function ChannelButton({
  action,
  organization,
  id,
  name,
  value,
  address,
  delivery,
  label,
  danger,
  children,
}: {
  action: Action
  organization: string
  id: number
  name: string
  value?: string
  address?: string
  delivery?: number
  label?: string
  danger?: boolean
  children: ReactNode
}) {
  return (
    <ActionForm action={action} initial={startState} name={`${name}-${id}`} className="flex items-baseline gap-2">
      {(state, pending) => (
        <>
          {state.notice ? (
            <span role="status" className="text-small text-ink-2">
              <PlainText text={state.notice} />
            </span>
          ) : null}
          <input type="hidden" name="organization" value={organization} />
          <input type="hidden" name="channel" value={id} />
          {value === undefined ? null : <input type="hidden" name="active" value={value} />}
          {delivery === undefined ? null : <input type="hidden" name="delivery" value={delivery} />}
          {address === undefined ? null : <input type="hidden" name="address" value={address} />}
          <Button
            type="submit"
            compact
            {...(danger ? { look: 'danger' as const } : {})}
            {...(label === undefined ? {} : { 'aria-label': label })}
            disabled={pending}
          >
            {children}
          </Button>
        </>
      )}
    </ActionForm>
  )
}

const shapeOf = { sent: 'ok', queued: 'warning', failed: 'error', suppressed: 'debug' } as const

function Deliveries({ organization, deliveries }: { organization: string; deliveries: readonly ShownDelivery[] }) {
  const t = useTranslations('notifications')
  const reasonOf = useAlertReason()
  return (
    <details className="mt-2">
      <summary className="text-small text-ink-2">{t('log')}</summary>
      {deliveries.length === 0 ? <p className="mt-1 text-ink-3">{t('logEmpty')}</p> : null}
      <ul className="mt-1">
        {deliveries.map((delivery) => (
          <li key={delivery.id} className="flex flex-wrap items-baseline gap-x-3 py-0.5">
            <SeverityShape level={shapeOf[delivery.status]} label="" sizePx={9} />
            <span>{t(delivery.status)}</span>
            {delivery.kind === 'issue' && delivery.issueId !== null ? (
              <Link className="link" href={`/o/${organization}/issues/${delivery.issueId}`}>
                {t('issue', { id: delivery.issueId })}
              </Link>
            ) : (
              <span>{delivery.kind === 'test' ? t('test') : t('summary', { count: delivery.issues })}</span>
            )}
            <span className="text-ink-3">{delivery.recipient}</span>
            <Time at={delivery.createdMs} className="text-ink-3" />
            {delivery.error ? (
              <span className="basis-full text-small text-ink-2">
                <PlainText text={t('tries', { count: delivery.attempts, error: reasonOf(delivery.error) })} />
              </span>
            ) : null}
          </li>
        ))}
      </ul>
    </details>
  )
}

/** Unconfirmed addresses, each with a button that asks for confirmation. */
function Unconfirmed({
  organization,
  channel,
  mayWrite,
}: {
  organization: string
  channel: ShownChannel
  mayWrite: boolean
}) {
  const t = useTranslations('notifications')
  const age = useAge()
  const { id, unconfirmed, withoutServer } = channel
  if (unconfirmed.length === 0) return null
  return (
    <ul className="mt-1" data-unconfirmed={unconfirmed.length}>
      {unconfirmed.map(({ address, askedMs, error }, index) => (
        <li key={address} className="flex flex-wrap items-baseline gap-x-3 gap-y-1 py-0.5">
          <span className="flex min-w-0 items-baseline gap-x-3">
            <SeverityShape level="warning" label="" sizePx={9} />
            <span className="min-w-0 wrap-anywhere">
              <PlainText text={t('unconfirmed', { address })} />{' '}
              <span className="text-ink-3">
                {error ? (
                  <PlainText text={t('askFailed', { error })} />
                ) : askedMs === null ? (
                  t('notAsked')
                ) : (
                  t('asked', { age: age(askedMs) })
                )}
              </span>
            </span>
          </span>
          {mayWrite && !withoutServer ? (
            <ChannelButton
              organization={organization}
              id={id}
              action={askToConfirmAction}
              name={`ask-${index}`}
              address={address}
              label={t('askLabel', { address })}
            >
              {askedMs === null ? t('ask') : t('askAgain')}
            </ChannelButton>
          ) : null}
        </li>
      ))}
    </ul>
  )
}

/** One channel: target, state and last messages. `deliveries`: absent on the page that shows the whole log. */
export function ChannelRow({
  organization,
  channel,
  deliveries,
  mayWrite,
}: {
  organization: string
  channel: ShownChannel
  deliveries?: readonly ShownDelivery[]
  mayWrite: boolean
}) {
  const t = useTranslations('notifications')
  const tc = useTranslations('channels')
  const reasonOf = useAlertReason()
  const age = useAge()
  const { id, active, failingSinceMs, pausedUntilMs } = channel
  const failing = active && failingSinceMs !== null
  const act = { organization, id }
  return (
    <li className="border-b border-line py-4" data-channel={id}>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <SeverityShape
          level={failing ? 'error' : active ? 'ok' : 'debug'}
          label={failing ? t('failing') : active ? t('on') : t('off')}
          sizePx={10}
        />
        <h2 className="min-w-0 break-words">
          <PlainText text={channel.name} />
        </h2>
        <span className="chip">{tc(`kind_${channel.kind}`)}</span>
        {channel.subscription === 'rules' ? <span className="chip">{tc('onlyRules')}</span> : null}
        {channel.project ? <span className="chip">{channel.project}</span> : null}
        {active ? null : <span className="chip text-ink-3">{t('off')}</span>}
        {mayWrite ? (
          <div className="ml-auto flex flex-wrap items-baseline gap-2">
            <ChannelButton {...act} action={testChannelAction} name="test">
              {t('sendTest')}
            </ChannelButton>
            <ChannelButton {...act} action={switchChannelAction} name="switch" value={active ? 'no' : 'yes'}>
              {active ? t('switchOff') : t('switchOn')}
            </ChannelButton>
            <ChannelButton {...act} action={deleteChannelAction} name="delete" danger>
              {t('delete')}
            </ChannelButton>
          </div>
        ) : null}
      </div>
      <p className="mt-1 break-all text-ink-2">
        {channel.target === 'members' && channel.kind === 'email' ? (
          t('members')
        ) : (
          <PlainText text={channel.target || t('sealed')} />
        )}
      </p>
      <Unconfirmed organization={organization} channel={channel} mayWrite={mayWrite} />
      {channel.withoutServer ? <p className="mt-1 text-warning">{t('noServer')}</p> : null}
      {failing ? (
        <p role="alert" className="mt-1 text-error">
          <PlainText text={t('failingSince', { age: age(failingSinceMs), error: reasonOf(channel.lastError) })} />
        </p>
      ) : null}
      {pausedUntilMs === null ? null : <p className="mt-1 text-warning">{tc('paused', { age: age(pausedUntilMs) })}</p>}
      {failing || !channel.lastAnswer ? null : (
        <p className="mt-1 text-small text-ink-3">
          <PlainText text={tc('lastAnswer', { answer: reasonOf(channel.lastAnswer) })} />
        </p>
      )}
      {deliveries === undefined ? null : (
        <>
          <p className="mt-1">
            <Link
              className="link"
              href={`/o/${organization}/settings/notifications/${id}`}
              aria-label={tc('openLabel', { name: channel.name })}
            >
              {tc('open')}
            </Link>
          </p>
          <Deliveries organization={organization} deliveries={deliveries} />
        </>
      )}
    </li>
  )
}
