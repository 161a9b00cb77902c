'use client'
import { useLocale, useTranslations } from 'next-intl'
import type { RestAlertRule } from '../../../contract/alerts/alerts.ts'
import { Avatar } from '../../ui/avatar.tsx'
import { Link } from '../../ui/link.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { SeverityShape } from '../../ui/severity.tsx'
import { Time, useNow } from '../../ui/time.tsx'
import { draftOf } from './draft.ts'
import { type KnownReceivers, type ReceiverWords, useReceiverWords } from './receivers.ts'
import { RuleActions } from './rule-actions.tsx'
import { RuleState, shownStateOf } from './rule-state.tsx'
import { useRuleWords } from './words.tsx'

/** Names of receivers; the first that fails is shown with its sign. */
function Receivers({ receivers }: { receivers: readonly ReceiverWords[] }) {
  const t = useTranslations('alerts.receivers')
  const format = new Intl.ListFormat(useLocale(), { type: 'unit', style: 'short' })
  const failing = receivers.find((receiver) => receiver.failing ?? receiver.isGone)
  const text = format.format(receivers.map(({ name }) => name))
  return (
    <span className="alert-row-receivers" title={text}>
      {failing ? <SeverityShape level="error" label={t('failingNamed', { name: failing.name })} /> : null}{' '}
      {receivers.length === 0 ? t('nobody') : <PlainText text={text} charactersMax={120} />}
    </span>
  )
}

/** The notifications that need no rule. */
export function BuiltInRow({ organization, known }: { organization: string; known: KnownReceivers }) {
  const t = useTranslations('alerts.builtIn')
  const wordsOf = useReceiverWords(known)
  const active = known.channels.filter(({ isActive, subscription }) => isActive && subscription === 'issues')
  const receivers = active.map(({ id }) => wordsOf({ type: 'channel', channel: id }))
  return (
    <li className="alert-row" data-built-in="">
      <span className="alert-state">
        <SeverityShape level={receivers.length > 0 ? 'ok' : 'debug'} label="" /> {t('state')}
      </span>
      <span className="alert-row-main">
        <Link href={`/o/${organization}/settings/notifications`}>{t('name')}</Link>
        <small>{t('text')}</small>
      </span>
      <Receivers receivers={receivers} />
    </li>
  )
}

/** One rule: its state, what it watches, who hears of it, when it changed, whose it is. */
export function RuleRow({
  organization,
  rule,
  known,
  mayWrite,
  onChanged,
}: {
  organization: string
  rule: RestAlertRule
  known: KnownReceivers
  mayWrite: boolean
  onChanged: () => void
}) {
  const t = useTranslations('alerts.list')
  const wordsOf = useReceiverWords(known)
  const { clauseOf } = useRuleWords()
  const state = shownStateOf(rule, useNow())
  const { reason, since } = rule.state
  const isFiring = state === 'critical' || state === 'warning'
  const owner = known.people.find(({ id }) => rule.owner === `user:${id}`)
  return (
    <li className="alert-row" data-state={state}>
      <RuleState rule={rule} />
      <span className="alert-row-main">
        <Link href={`/o/${organization}/alerts/${rule.id}`}>
          <PlainText text={rule.name} charactersMax={200} />
        </Link>
        <small>
          {reason !== '' && state !== 'ok' ? (
            <PlainText text={reason} charactersMax={300} />
          ) : (
            <PlainText text={t('when', { clause: clauseOf(draftOf(rule)) })} charactersMax={300} />
          )}
        </small>
      </span>
      <Receivers receivers={rule.actions.map(wordsOf)} />
      <span className="alert-row-when">
        {state === 'muted' && rule.mutedUntil !== null ? (
          <>
            {t('until')} <Time at={rule.mutedUntil} form="minute" />
          </>
        ) : isFiring && since !== null ? (
          <>
            {t('since')} <Time at={since} />
          </>
        ) : rule.lastFired === null ? (
          t('neverFired')
        ) : (
          <>
            {t('lastFired')} <Time at={rule.lastFired} />
          </>
        )}
      </span>
      <span className="alert-row-owner" title={owner ? t('ownedBy', { name: owner.name || owner.email }) : undefined}>
        {owner ? (
          <>
            <Avatar name={owner.name || owner.email} />
            <span className="visually-hidden">{t('ownedBy', { name: owner.name || owner.email })}</span>
          </>
        ) : null}
      </span>
      {mayWrite ? <RuleActions organization={organization} rule={rule} onChanged={onChanged} /> : <span />}
    </li>
  )
}
